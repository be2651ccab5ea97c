package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"text/template"
	"time"
)

// config is the configuration of nfpm. Both package formats have the same files, but for the folder of zsh's
// completions. rpm.buildhost is fixed, because its default is the name of this host.
var config = template.Must(template.New("nfpm").Parse(`name: hybridtop
arch: {{.Arch}}
platform: linux
version: {{printf "%q" .Version}}
section: science
priority: optional
maintainer: The hybridtop authors <hybridtop@users.noreply.github.com>
description: |
  see why one way of programming a cluster is faster than another
  hybridtop runs SPMD programs on a live, emulated or simulated cluster, and
  shows bandwidth, latency and locality while you change the execution model.
homepage: https://github.com/hybridtop/hybridtop
license: Apache-2.0
mtime: {{.Time}}
rpm:
  buildhost: localhost
  group: Applications/Engineering
contents:
{{- range .Files}}
  - src: {{printf "%q" .Source}}
    dst: {{.Target}}
    file_info: {mode: {{.Mode}}, mtime: {{$.Time}}}
{{- if .Format}}
    packager: {{.Format}}
{{- end}}
{{- end}}
`))

// installed is a file of a package.
type installed struct {
	Source, Target, Mode, Format string // Format "": both
}

// targets maps the documents of an archive to the files of a package.
var targets = []installed{
	{"man/hybridtop.1", "/usr/share/man/man1/hybridtop.1.gz", "0644", ""},
	{"completions/hybridtop.bash", "/usr/share/bash-completion/completions/hybridtop", "0644", ""},
	{"completions/_hybridtop", "/usr/share/zsh/vendor-completions/_hybridtop", "0644", "deb"},
	{"completions/_hybridtop", "/usr/share/zsh/site-functions/_hybridtop", "0644", "rpm"},
	{"completions/hybridtop.fish", "/usr/share/fish/vendor_completions.d/hybridtop.fish", "0644", ""},
	{"README.md", "/usr/share/doc/hybridtop/README.md", "0644", ""},
	{"CHANGELOG.md", "/usr/share/doc/hybridtop/CHANGELOG.md", "0644", ""},
	{"LICENSE", "/usr/share/doc/hybridtop/copyright", "0644", ""},
	{"THIRD-PARTY-LICENSES", "/usr/share/doc/hybridtop/THIRD-PARTY-LICENSES", "0644", ""},
}

// configure writes the files of a package below work, and returns the configuration of nfpm. The programs are in a
// folder.
func (r *release) configure(work string, p platform, programs string) ([]byte, error) {
	var files []installed
	for _, name := range p.programs() {
		files = append(files, installed{filepath.Join(programs, name), "/usr/bin/" + name, "0755", ""})
	}
	for _, t := range targets {
		for _, f := range r.shared {
			if f.name != t.Source {
				continue
			}
			data := f.data
			if filepath.Ext(t.Target) == ".gz" {
				var err error
				if data, err = compressed(data); err != nil {
					return nil, err
				}
			}
			t.Source = filepath.Join(work, filepath.FromSlash(f.name))
			if err := os.MkdirAll(filepath.Dir(t.Source), 0o755); err != nil {
				return nil, err
			}
			if err := os.WriteFile(t.Source, data, 0o644); err != nil {
				return nil, err
			}
			files = append(files, t)
			break
		}
	}
	var out bytes.Buffer
	err := config.Execute(&out, struct {
		Arch, Version, Time string
		Files               []installed
	}{p.arch, r.version, r.at.Format(time.RFC3339), files})
	return out.Bytes(), err
}

// packages writes the deb and the rpm of a platform, with the programs of a folder.
func (r *release) packages(out, work string, p platform, programs, nfpm string) error {
	b, err := r.configure(work, p, programs)
	if err != nil {
		return err
	}
	named := filepath.Join(work, "nfpm-"+p.arch+".yaml")
	if err := os.WriteFile(named, b, 0o644); err != nil {
		return err
	}
	for _, format := range []string{"deb", "rpm"} {
		c := exec.Command("go", "run", "github.com/goreleaser/nfpm/v2/cmd/nfpm@"+nfpm, "package", "--config", named,
			"--packager", format, "--target", out)
		c.Env = append(os.Environ(), "GOFLAGS=", fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.at.Unix()))
		if text, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", c, err, text)
		}
	}
	return nil
}
