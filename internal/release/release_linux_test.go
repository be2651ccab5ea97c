package main

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// command runs a command in a folder and returns its output.
func command(t *testing.T, folder string, args ...string) string {
	t.Helper()
	c := exec.Command(args[0], args[1:]...)
	c.Dir = folder
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", c, err, out)
	}
	return string(out)
}

// runs checks that a program prints its version and verifies a run.
func runs(t *testing.T, version string, exe ...string) {
	t.Helper()
	if got := command(t, ".", append(exe, "--version")...); !strings.Contains(got, version) {
		t.Errorf("%v prints the version %q, want %q", exe, got, version)
	}
	if got := command(t, ".", append(exe, "run", "dot", "--for", "1s")...); !strings.Contains(got, "verified") {
		t.Errorf("%v run dot:\n%s", exe, got)
	}
}

// TestRelease builds a release twice from a clean clone and compares the bytes. It runs the programs that this
// host can run, installs the packages in an empty root, and installs the module from a module proxy.
func TestRelease(t *testing.T) {
	if os.Getenv("CONFORM") == "" {
		t.Skip("builds everything for four platforms; part of make conform")
	}
	clone := filepath.Join(t.TempDir(), "clone")
	command(t, ".", "git", "clone", "--quiet", "../..", clone)
	one, two := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two") // files in the clone would change it
	command(t, clone, "go", "run", "./internal/release", "-out", one)
	command(t, clone, "go", "run", "./internal/release", "-out", two)
	command(t, ".", "diff", "-r", one, two)
	command(t, one, "sha256sum", "--check", "--quiet", "SHA256SUMS")

	version := ""
	for _, p := range platforms {
		archives, err := filepath.Glob(filepath.Join(one, "*-"+p.os+"-"+p.arch+".*"))
		if err != nil || len(archives) != 1 {
			t.Fatalf("archives of %v: %v (%v)", p, archives, err)
		}
		folder := t.TempDir()
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(archives[0]), ".zip"), ".tar.gz")
		if p.os == "windows" {
			command(t, folder, "unzip", "-q", archives[0])
		} else {
			command(t, folder, "tar", "-xzf", archives[0])
		}
		version = strings.TrimSuffix(strings.TrimPrefix(name, "hybridtop-"), "-"+p.os+"-"+p.arch)
		for _, program := range p.programs() {
			isBuiltFor(t, filepath.Join(folder, name, program), p, version)
		}
		exe := filepath.Join(folder, name, p.programs()[0])
		switch emulator, err := exec.LookPath("qemu-aarch64"); {
		case p == platform{"linux", "amd64"}:
			runs(t, version, exe)
		case p == platform{"linux", "arm64"} && err == nil:
			runs(t, version, emulator, exe)
		default:
			t.Logf("%v: built, not run on this host", p)
		}
	}
	installDeb(t, one, version)
	installRPM(t, one, version)
	installModule(t, clone)
}

// isBuiltFor checks the platform, version and format of a program.
func isBuiltFor(t *testing.T, exe string, p platform, version string) {
	t.Helper()
	info, err := buildinfo.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	settings := make(map[string]string)
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if settings["GOOS"] != p.os || settings["GOARCH"] != p.arch || settings["CGO_ENABLED"] != "0" ||
		info.Main.Version != "v"+version {
		t.Errorf("%s: %s, built with %v", exe, info.Main.Version, settings)
	}
	b, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	magic := map[string]string{"linux": "\x7fELF", "darwin": "\xcf\xfa\xed\xfe", "windows": "MZ"}[p.os]
	if !bytes.HasPrefix(b, []byte(magic)) {
		t.Errorf("%s begins with %q, want %q", exe, b[:4], magic)
	}
}

// installDeb installs the deb in an empty root, and removes it.
func installDeb(t *testing.T, folder, version string) {
	t.Helper()
	if _, err := exec.LookPath("dpkg"); err != nil || os.Getuid() != 0 {
		t.Log("deb: not installed, which needs dpkg and root")
		return
	}
	debs, err := filepath.Glob(filepath.Join(folder, "*_amd64.deb"))
	if err != nil || len(debs) != 1 {
		t.Fatalf("debs: %v (%v)", debs, err)
	}
	root := t.TempDir()
	for _, d := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	command(t, ".", "dpkg", "--root="+root, "--force-not-root", "-i", debs[0])
	isInstalled(t, root, version)
	command(t, ".", "dpkg", "--root="+root, "-r", "hybridtop")
	if _, err := os.Stat(filepath.Join(root, "usr/bin/hybridtop")); !os.IsNotExist(err) {
		t.Errorf("the program remains after the removal of the package: %v", err)
	}
}

// installRPM installs the rpm in an empty root, and removes it.
func installRPM(t *testing.T, folder, version string) {
	t.Helper()
	if _, err := exec.LookPath("rpm"); err != nil || os.Getuid() != 0 {
		t.Log("rpm: not installed, which needs rpm and root")
		return
	}
	rpms, err := filepath.Glob(filepath.Join(folder, "*.x86_64.rpm"))
	if err != nil || len(rpms) != 1 {
		t.Fatalf("rpms: %v (%v)", rpms, err)
	}
	root := t.TempDir()
	command(t, ".", "rpm", "--root", root, "--initdb")
	command(t, ".", "rpm", "--root", root, "--nosignature", "-i", rpms[0])
	isInstalled(t, root, version)
	command(t, ".", "rpm", "--root", root, "-e", "hybridtop")
	if _, err := os.Stat(filepath.Join(root, "usr/bin/hybridtop")); !os.IsNotExist(err) {
		t.Errorf("the program remains after the removal of the package: %v", err)
	}
}

// isInstalled checks the program and the documents below a root. The program also runs with this root,
// where there is no library.
func isInstalled(t *testing.T, root, version string) {
	t.Helper()
	runs(t, version, "chroot", root, "/usr/bin/hybridtop")
	for _, name := range []string{"share/man/man1/hybridtop.1.gz", "share/bash-completion/completions/hybridtop",
		"share/fish/vendor_completions.d/hybridtop.fish", "share/doc/hybridtop/copyright"} {
		if info, err := os.Stat(filepath.Join(root, "usr", name)); err != nil || info.Size() == 0 {
			t.Errorf("installed %s: %v", name, err)
		}
	}
}

// installModule installs the program by the name of its module from a module proxy in a folder.
func installModule(t *testing.T, clone string) {
	t.Helper()
	const module, version = "github.com/hybridtop/hybridtop", "v0.1.0"
	proxy := filepath.Join(t.TempDir(), "proxy")
	versions := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	if err := os.MkdirAll(versions, 0o755); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(clone, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for ending, b := range map[string][]byte{"list": []byte(version + "\n"), version + ".mod": mod,
		version + ".info": []byte(`{"Version":"` + version + `","Time":"2026-01-01T00:00:00Z"}`)} {
		if err := os.WriteFile(filepath.Join(versions, ending), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	command(t, clone, "git", "archive", "--format=zip", "--prefix="+module+"@"+version+"/",
		"-o", filepath.Join(versions, version+".zip"), "HEAD")
	bin := t.TempDir()
	c := exec.Command("go", "install", module+"/cmd/hybridtop@latest")
	upstream := strings.TrimSpace(command(t, clone, "go", "env", "GOPROXY"))
	c.Dir = bin
	c.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=", "GOPROXY=file://"+proxy+","+upstream, "GONOSUMDB="+module)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", c, err, out)
	}
	runs(t, version, filepath.Join(bin, "hybridtop"))
}
