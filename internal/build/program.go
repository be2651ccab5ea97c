package build

import "runtime/debug"

// shortCommit is the number of digits of a commit in a text, as in Go's pseudo-versions.
const shortCommit = 12

// Program identifies a build of the program.
type Program struct {
	Version  string // of the module; "": unknown
	Commit   string // "": unknown
	Modified bool   // the commit's files had been changed
}

// modified follows the commit of a modified build in recordings.
const modified = "+modified"

// This returns the identity of the running program.
func This() Program {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Program{}
	}
	return of(info)
}

// of returns the identity of a build.
func of(info *debug.BuildInfo) Program {
	p := Program{Version: info.Main.Version}
	if p.Version == "(devel)" { // built without version control
		p.Version = ""
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			p.Commit = s.Value
		case "vcs.modified":
			p.Modified = s.Value == "true"
		}
	}
	return p
}

// Parse returns the identity of a program from a version and a build, as Build returns it.
func Parse(version, build string) Program {
	p := Program{Version: version, Commit: build}
	if n := len(build) - len(modified); n >= 0 && build[n:] == modified {
		p.Commit = build[:n]
		p.Modified = true
	}
	if version == "(devel)" { // of early recordings
		p.Version = ""
	}
	return p
}

// Build returns the commit, and whether its files had been changed, as one word.
func (p Program) Build() string {
	if p.Modified {
		return p.Commit + modified
	}
	return p.Commit
}

// String returns the version and the first digits of the commit.
func (p Program) String() string {
	text := p.Version
	if text == "" {
		text = "version unknown"
	}
	if p.Commit == "" {
		return text
	}
	text += " (" + p.Commit[:min(shortCommit, len(p.Commit))]
	if p.Modified {
		text += ", modified"
	}
	return text + ")"
}
