package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine/tuner"
	"github.com/hybridtop/hybridtop/internal/atomicfile"
	"github.com/hybridtop/hybridtop/internal/inputfile"
)

// ruleFormats lists the export formats of tables.
var ruleFormats = []struct {
	name, doc string
	write     func(io.Writer, *coll.Table, int32) error
}{
	{"openmpi", "Open MPI 4.1 and later: --mca coll_tuned_use_dynamic_rules 1 --mca " +
		"coll_tuned_dynamic_rules_filename FILE", tuner.WriteOpenMPI},
	{"openmpi-json", "Open MPI 6, with the same parameters", tuner.WriteOpenMPIJSON},
	{"mpich", "MPICH 4.0: MPIR_CVAR_DEVICE_COLLECTIVES=none MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=FILE",
		tuner.WriteMPICH},
	{"nccl", "NCCL with its example of a tuner plugin: NCCL_TUNER_CONFIG_FILE=FILE. NCCL matches numbers of nodes " +
		"and ranks exactly. A table has no protocols: the file has simple", tuner.WriteNCCL},
}

func newTuneExport() *cobra.Command {
	var names []string
	words := "Write a table as rules of a library. If the library lacks an algorithm, it chooses itself.\n"
	for _, f := range ruleFormats {
		names = append(names, f.name)
		words += "\n  " + f.name + ": " + f.doc
	}
	cmd := &cobra.Command{
		Use:     "export FILE",
		Short:   "write a table as rules for Open MPI, MPICH or NCCL",
		Long:    words,
		Example: "hybridtop tune export ranger.table.toml --to openmpi --out ranger.rules",
	}
	tableArgument(cmd)
	var to, file string
	var perNode int
	f := cmd.Flags()
	f.StringVar(&to, "to", "openmpi", strings.Join(names, ", "))
	f.StringVar(&file, "out", "", "file to write; default: standard output")
	f.IntVar(&perNode, "ranks-per-node", 1, "part of the table: number of ranks per node")
	must(cmd.RegisterFlagCompletionFunc("to", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names, cobra.ShellCompDirectiveNoFileComp
	}))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if perNode < 1 || perNode > math.MaxInt32 {
			return fmt.Errorf("--ranks-per-node %d: want at least 1", perNode)
		}
		table, err := tuner.Load(args[0])
		if err != nil {
			return err
		}
		for _, format := range ruleFormats {
			if format.name != to {
				continue
			}
			var b bytes.Buffer
			if err := format.write(&b, table.Table, int32(perNode)); err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if file != "" {
				return atomicfile.Write(cmd.Context(), file, b.Bytes())
			}
			_, err := cmd.OutOrStdout().Write(b.Bytes())
			return err
		}
		return fmt.Errorf("--to %s: want one of %s", to, strings.Join(names, ", "))
	}
	return cmd
}

func newTuneImport() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "import FILE",
		Short:   "read Open MPI's dynamic rules, classic or JSON, into a table",
		Example: "hybridtop tune import site.rules --out site.table.toml",
	}
	tableArgument(cmd)
	var file string
	cmd.Flags().StringVar(&file, "out", "", "table file to write")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if file == "" {
			return errors.New("tune import: want a table file: --out FILE")
		}
		data, err := inputfile.Read(args[0], tuner.MaxRules)
		if err != nil {
			return err
		}
		table, notes, err := tuner.ReadOpenMPI(data)
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		for _, n := range notes {
			fmt.Fprintln(cmd.ErrOrStderr(), "hybridtop:", n)
		}
		f := &tuner.File{Fabric: "Open MPI's rules", Machine: "unknown", Table: table}
		if err := f.Save(cmd.Context(), file); err != nil {
			return err
		}
		return tuner.WriteMaps(cmd.OutOrStdout(), table)
	}
	return cmd
}
