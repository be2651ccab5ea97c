package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// file is a file of an archive.
type file struct {
	name string // slashes
	mode fs.FileMode
	data []byte
}

// archive writes the archive of a platform, with the programs of a folder: zip for Windows, tar.gz for the others.
// Its files are in one folder, which has the name of the archive.
func (r *release) archive(out string, p platform, programs string) error {
	folder := "hybridtop-" + r.version + "-" + p.os + "-" + p.arch
	var files []file
	for _, name := range p.programs() {
		b, err := os.ReadFile(filepath.Join(programs, name))
		if err != nil {
			return err
		}
		files = append(files, file{name, 0o755, b})
	}
	files = append(files, r.shared...)
	pack, ending := tarball, ".tar.gz"
	if p.os == "windows" {
		pack, ending = zipped, ".zip"
	}
	b, err := pack(folder, files, r.at)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, folder+ending), b, 0o644)
}

// compressed returns data as gzip, without a name and a time.
func compressed(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// tarball returns the files as tar.gz. Equal files give equal bytes.
func tarball(folder string, files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: folder + "/" + f.name, Size: int64(len(f.data)), Mode: int64(f.mode),
			ModTime: at, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return compressed(out.Bytes())
}

// zipped returns the files as zip. Equal files give equal bytes.
func zipped(folder string, files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: at}
		h.SetMode(f.mode)
		to, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := to.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}
