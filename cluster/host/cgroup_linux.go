package host

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// group is a control group of this process, as a folder of the file system, and its top-level
// folder.
type group struct {
	folder, top string
	isV2        bool // of cgroup v2
}

// groups returns the control groups that limit this process's memory.
func groups(root fs.FS) []group {
	memberships, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	mounts, err := fs.ReadFile(root, "proc/self/mountinfo")
	if err != nil {
		return nil
	}
	var all []group
	for line := range strings.Lines(string(memberships)) {
		// number ":" controllers ":" path; v2 has number 0 and no controllers.
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		isV2 := parts[0] == "0" && parts[1] == ""
		if !isV2 && !has(parts[1], "memory") {
			continue
		}
		if g, ok := mounted(root, string(mounts), parts[2], isV2); ok {
			all = append(all, g)
		}
	}
	return all
}

// mounted returns the folder of a control group.
func mounted(root fs.FS, mounts, at string, isV2 bool) (group, bool) {
	for line := range strings.Lines(mounts) {
		// id parent device root point options [optional...] - type source options
		before, after, ok := strings.Cut(line, " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if !ok || len(left) < 5 || len(right) < 3 {
			continue
		}
		if isV2 && right[0] != "cgroup2" || !isV2 && (right[0] != "cgroup" || !has(right[2], "memory")) {
			continue
		}
		top := strings.TrimPrefix(path.Clean(left[4]), "/")
		inside, under := strings.CutPrefix(at, strings.TrimSuffix(left[3], "/"))
		g := group{folder: path.Join(top, inside), top: top, isV2: isV2}
		// A container can see its own group as the top, with a path that does not exist.
		if _, err := fs.Stat(root, g.folder); !under || err != nil {
			g.folder = top
		}
		return g, true
	}
	return group{}, false
}

func has(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}

// left returns the minimum memory that a group and its parents leave: their limit minus the used
// memory, without caches that the system can drop. ok is false without a limit.
func (g group) left(root fs.FS) (least int64, ok bool) {
	least = math.MaxInt64
	for folder := g.folder; ; folder = path.Dir(folder) {
		limits := []string{"memory.limit_in_bytes"}
		usage := "memory.usage_in_bytes"
		cache := "total_inactive_file "
		if g.isV2 {
			limits = []string{"memory.max", "memory.high"}
			usage = "memory.current"
			cache = "inactive_file "
		}
		for _, name := range limits {
			limit, hasLimit := number(root, path.Join(folder, name))
			if !hasLimit || limit > 1<<60 {
				continue
			}
			used, _ := number(root, path.Join(folder, usage))
			used = max(used-line(root, path.Join(folder, "memory.stat"), cache), 0)
			least, ok = min(least, max(limit-used, 0)), true
		}
		if folder == g.top || folder == "." {
			return least, ok
		}
	}
}

// number reads a file with one number. It returns false for "max".
func number(root fs.FS, file string) (int64, bool) {
	text, err := fs.ReadFile(root, file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0, false
	}
	return int64(min(n, math.MaxInt64)), true
}
