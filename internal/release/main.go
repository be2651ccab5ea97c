package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	out := flag.String("out", "dist", "folder to write; its content is replaced")
	nfpm := flag.String("nfpm", "v2.45.2", "version of github.com/goreleaser/nfpm/v2")
	flag.Parse()
	if err := run(*out, *nfpm); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// commands is the folder of the main packages, which have the names of the programs.
const commands = "github.com/hybridtop/hybridtop/cmd/"

// platform is an operating system and a processor, as Go names them.
type platform struct{ os, arch string }

var platforms = []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "arm64"}, {"windows", "amd64"}}

// programs returns the names of the programs for the platform. Only Linux has the program of MPI jobs.
func (p platform) programs() []string {
	switch p.os {
	case "linux":
		return []string{"hybridtop", "hybridtop-mpi"}
	case "windows":
		return []string{"hybridtop.exe"}
	}
	return []string{"hybridtop"}
}

// release has the common parts of all archives and packages of a commit.
type release struct {
	version string // without v
	at      time.Time
	shared  []file // documents and completions
}

func run(out, nfpm string) error {
	work, err := os.MkdirTemp("", "hybridtop-dist")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := build(filepath.Join(work, "host"), platform{}); err != nil {
		return err
	}
	host := filepath.Join(work, "host", "hybridtop")
	r, err := describe(host)
	if err != nil {
		return err
	}
	if r.shared, err = r.documents(host, work); err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(out), os.MkdirAll(out, 0o755)); err != nil {
		return err
	}
	for _, p := range platforms {
		folder := filepath.Join(work, p.os+"-"+p.arch)
		if err := build(folder, p); err != nil {
			return err
		}
		if err := r.archive(out, p, folder); err != nil {
			return err
		}
		if p.os == "linux" {
			if err := r.packages(out, work, p, folder, nfpm); err != nil {
				return err
			}
		}
	}
	return checksums(out)
}

// build builds the programs for a platform into a folder; the zero platform is this host. hybridtop is static.
func build(folder string, p platform) error {
	for _, name := range p.programs() {
		c := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", filepath.Join(folder, name),
			commands+strings.TrimSuffix(name, ".exe"))
		c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0")
		if p.os != "" {
			c.Env = append(c.Env, "GOOS="+p.os, "GOARCH="+p.arch)
		}
		if text, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", c, err, text)
		}
	}
	return nil
}

// describe reads the version and the time of the commit from a program.
func describe(exe string) (*release, error) {
	info, err := buildinfo.ReadFile(exe)
	if err != nil {
		return nil, err
	}
	r := &release{version: strings.TrimPrefix(info.Main.Version, "v")}
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.modified" && s.Value == "true":
			return nil, errors.New("the tree has uncommitted changes, so the version does not identify the program " +
				"(git stash, or git commit)")
		case s.Key == "vcs.time":
			r.at, err = time.Parse(time.RFC3339, s.Value)
			if err != nil {
				return nil, err
			}
		}
	}
	if epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("SOURCE_DATE_EPOCH: got %q, want seconds since 1970", epoch)
		}
		r.at = time.Unix(seconds, 0)
	}
	if r.version == "" || r.version == "(devel)" || r.at.IsZero() {
		return nil, errors.New("the program has no version: want a git clone (not a worktree), and git in PATH")
	}
	r.at = r.at.UTC()
	return r, nil
}

// shells maps the shells to the names of their completion files.
var shells = [][2]string{{"bash", "hybridtop.bash"}, {"zsh", "_hybridtop"}, {"fish", "hybridtop.fish"},
	{"powershell", "hybridtop.ps1"}}

// dated is the date in the header of a manual page.
var dated = regexp.MustCompile(`(?m)^(\.TH HYBRIDTOP 1 )"[^"]*"`)

// documents returns the files that all archives have. The program writes the manual page and the
// completions with default settings.
func (r *release) documents(exe, home string) ([]file, error) {
	write := func(args ...string) ([]byte, error) {
		c := exec.Command(exe, args...)
		c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LANG=C.UTF-8", "NO_COLOR=1", "TERM=dumb"}
		var errs bytes.Buffer
		c.Stderr = &errs
		b, err := c.Output()
		if err != nil {
			err = fmt.Errorf("%s: %w\n%s", c, err, &errs)
		}
		return b, err
	}
	page, err := write("man")
	if err != nil {
		return nil, err
	}
	files := []file{{"man/hybridtop.1", 0o644, dated.ReplaceAll(page, fmt.Appendf(nil, `${1}"%s"`, r.at.Format(time.DateOnly)))}}
	for _, s := range shells {
		b, err := write("completion", s[0])
		if err != nil {
			return nil, err
		}
		files = append(files, file{"completions/" + s[1], 0o644, b})
	}
	for _, name := range []string{"README.md", "CHANGELOG.md", "LICENSE"} {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, 0o644, b})
	}
	notices, err := notices(exe)
	if err != nil {
		return nil, err
	}
	return append(files, file{"THIRD-PARTY-LICENSES", 0o644, notices}), nil
}

// checksums writes SHA256SUMS, which sha256sum -c checks.
func checksums(folder string) error {
	entries, err := os.ReadDir(folder) // sorted
	if err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(b), e.Name())
	}
	fmt.Print(sums.String())
	return os.WriteFile(filepath.Join(folder, "SHA256SUMS"), sums.Bytes(), 0o644)
}

// notices returns the licenses of the modules in a program.
func notices(exe string) ([]byte, error) {
	info, err := buildinfo.ReadFile(exe)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, m := range info.Deps {
		c := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", m.Path)
		dir, err := c.Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c, err)
		}
		entries, err := os.ReadDir(strings.TrimSpace(string(dir)))
		if err != nil {
			return nil, err
		}
		entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return e.IsDir() || !isNotice(e.Name()) })
		if len(entries) == 0 {
			return nil, fmt.Errorf("%s %s: no license found in the module", m.Path, m.Version)
		}
		for _, e := range entries {
			b, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), e.Name()))
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&out, "==== %s %s: %s\n\n%s\n\n", m.Path, m.Version, e.Name(), bytes.TrimSpace(b))
		}
	}
	return out.Bytes(), nil
}

// isNotice reports whether a file of a module has a license or a notice.
func isNotice(name string) bool {
	name = strings.ToUpper(name)
	return !strings.HasSuffix(name, ".GO") && (strings.HasPrefix(name, "LICEN") || strings.HasPrefix(name, "COPYING") ||
		strings.HasPrefix(name, "NOTICE") || strings.HasPrefix(name, "PATENTS"))
}
