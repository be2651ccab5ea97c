package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/models"
)

func newModelAccess() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "access",
		Short: "bandwidth of the methods to access remote memory",
		Long: "Table 2 of paper 2: copies and bandwidth of each method to load remote memory into a register, for one " +
			"access size. " +
			"The defaults are the paper's examples. The paper has no separate numbers for one-sided calls, and none for pages.",
		Example: "hybridtop model access --size 10240",
		Args:    cobra.NoArgs,
	}
	c := models.PaperAccess
	size := "10240"
	wordSize := strconv.Itoa(c.WordSize)
	pageSize := strconv.Itoa(c.PageSize)
	seconds := func(x float64) time.Duration { return time.Duration(x*1e9+0.5) * time.Nanosecond }
	two := seconds(c.TwoSided.Latency)
	one := seconds(c.OneSided.Latency)
	word := seconds(c.WordLatency)
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&size, "size", size, "requested bytes per access: 4096, 10KiB, 1MB")
	f.Float64Var(&c.TwoSided.Bandwidth, "bandwidth", c.TwoSided.Bandwidth, "b∞ of messages (asymptotic bandwidth), B/s")
	f.DurationVar(&two, "latency", two, "T_lat of messages (latency)")
	f.Float64Var(&c.OneSided.Bandwidth, "one-sided-bandwidth", c.OneSided.Bandwidth,
		"b∞ of one-sided calls, pages, prefetch and buffering, B/s; default: --bandwidth")
	f.DurationVar(&one, "one-sided-latency", one, "T_lat of the same; default: --latency")
	f.DurationVar(&word, "word-latency", word, "time to load a remote word")
	f.StringVar(&wordSize, "word", wordSize, "word size in bytes")
	f.StringVar(&pageSize, "page", pageSize, "page size in bytes")
	f.IntVar(&c.Stride, "stride", 1, "distance between two requested words, in words; 1: contiguous")
	f.BoolVar(&c.Write, "write", false, "write the words: changed pages are fetched, and then written back")
	out := addFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if !cmd.Flags().Changed("one-sided-bandwidth") {
			c.OneSided.Bandwidth = c.TwoSided.Bandwidth
		}
		if !cmd.Flags().Changed("one-sided-latency") {
			one = two
		}
		c.TwoSided.Latency = two.Seconds()
		c.OneSided.Latency = one.Seconds()
		c.WordLatency = word.Seconds()
		var bytes int
		for _, x := range []struct {
			flag, text string
			to         *int
		}{{"--size", size, &bytes}, {"--word", wordSize, &c.WordSize}, {"--page", pageSize, &c.PageSize}} {
			var err error
			*x.to, err = wholeBytes(x.flag, x.text)
			if err != nil {
				return err
			}
		}
		result, err := accessOf(c, bytes)
		if err != nil {
			return err
		}
		return result.write(cmd.OutOrStdout(), out)
	}
	return cmd
}

// wholeBytes reads a size in the syntax of knobs.
func wholeBytes(flag, s string) (int, error) {
	k := engine.Knob{Name: flag, Type: engine.Size, Default: "1", Min: 1, Max: 1 << 40}
	plain, err := k.Parse(s)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(plain)
}

func accessOf(c models.AccessCosts, size int) (*modelled, error) {
	accesses, err := c.Accesses(size)
	if err != nil {
		return nil, err
	}
	res := newModelled("access", "paper 2, table 2")
	res.input("size", float64(size), "B")
	res.input("bandwidth", c.TwoSided.Bandwidth, "B/s")
	res.input("latency", c.TwoSided.Latency, "s")
	res.input("one_sided_bandwidth", c.OneSided.Bandwidth, "B/s")
	res.input("one_sided_latency", c.OneSided.Latency, "s")
	res.input("word_latency", c.WordLatency, "s")
	res.input("word", float64(c.WordSize), "B")
	res.input("page", float64(c.PageSize), "B")
	res.input("stride", float64(max(c.Stride, 1)), "1")
	for _, a := range accesses {
		name := strings.ReplaceAll(a.Name, "-", "_")
		copies := strconv.Itoa(a.Copies) + " copies"
		if a.Copies == 1 {
			copies = "1 copy"
		}
		res.add(name+"_bandwidth", a.Value, a.Unit, a.Title, copies+"; "+a.Remark)
		res.row(map[string]any{"method": a.Name, "copies": a.Copies}, name+"_bandwidth", a.Prediction, []string{a.Title})
	}
	half := c.TwoSided.HalfSize()
	res.add("half_bandwidth_size", half, "B", "n½", "messages of this size reach half of b∞")
	res.chart = fmt.Sprintf("bandwidth for %s, and the largest term", text(engine.Metric{Value: float64(size), Unit: "B"}))
	return res, nil
}
