package host

import (
	"testing"
	"testing/fstest"
)

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

// system returns a system with 8 GiB available, of which this process uses 50 MiB, and more files.
func system(files map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	put := func(name, text string) { root[name] = &fstest.MapFile{Data: []byte(text)} }
	put("proc/meminfo", "MemTotal:       16777216 kB\nMemFree:         1000000 kB\nMemAvailable:    8388608 kB\n")
	put("proc/self/status", "VmRSS:\t   71200 kB\nRssAnon:\t   51200 kB\nRssFile:\t   20000 kB\n")
	for name, text := range files {
		put(name, text)
	}
	return root
}

// The process's own memory counts as available, because a run replaces the previous one.
func TestLimitIncludesOwnMemory(t *testing.T) {
	const (
		v1 = "25 20 0:22 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n26 20 0:23 / " +
			"/sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
		v2 = "30 20 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
	)
	for _, c := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"no groups", nil, 8*gib + 50*mib},
		{"v1", map[string]string{
			"proc/self/mountinfo":                            v1,
			"proc/self/cgroup":                               "4:memory:/job\n3:cpu:/\n",
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes": "629145600\n", // 600 MiB
			"sys/fs/cgroup/memory/job/memory.usage_in_bytes": "157286400\n", // 150 MiB
			"sys/fs/cgroup/memory/job/memory.stat":           "cache 9\ninactive_file 1\ntotal_inactive_file 52428800\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":     "9223372036854771712\n",
		}, 550 * mib},
		{"v1, and the group above leaves less", map[string]string{
			"proc/self/mountinfo": v1,
			"proc/self/cgroup":    "4:memory:/job/step\n",
			"sys/fs/cgroup/memory/job/step/memory.limit_in_bytes": "1073741824\n",
			"sys/fs/cgroup/memory/job/step/memory.usage_in_bytes": "0\n",
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes":      "1073741824\n",
			"sys/fs/cgroup/memory/job/memory.usage_in_bytes":      "536870912\n",
		}, 562 * mib},
		{"v2", map[string]string{
			"proc/self/mountinfo":                       v2,
			"proc/self/cgroup":                          "0::/user.slice/a\n",
			"sys/fs/cgroup/user.slice/a/memory.max":     "1610612736\n",
			"sys/fs/cgroup/user.slice/a/memory.high":    "max\n",
			"sys/fs/cgroup/user.slice/a/memory.current": "104857600\n",
			"sys/fs/cgroup/user.slice/a/memory.stat":    "anon 1\ninactive_file 52428800\n",
		}, 1536 * mib},
		{"v2: high throttles before max refuses", map[string]string{
			"proc/self/mountinfo":            v2,
			"proc/self/cgroup":               "0::/a\n",
			"sys/fs/cgroup/a/memory.max":     "1610612736\n",
			"sys/fs/cgroup/a/memory.high":    "1073741824\n",
			"sys/fs/cgroup/a/memory.current": "52428800\n",
		}, 1024 * mib},
		{"v2: nested", map[string]string{
			"proc/self/mountinfo":                v2,
			"proc/self/cgroup":                   "0::/a/b/c\n",
			"sys/fs/cgroup/a/b/c/memory.max":     "max\n",
			"sys/fs/cgroup/a/b/c/memory.current": "52428800\n",
			"sys/fs/cgroup/a/memory.max":         "629145600\n",
			"sys/fs/cgroup/a/memory.current":     "52428800\n",
		}, 600 * mib},
		{"a container that sees its group as the top", map[string]string{
			"proc/self/mountinfo":          v2,
			"proc/self/cgroup":             "0::/docker/0815\n",
			"sys/fs/cgroup/memory.max":     "629145600\n",
			"sys/fs/cgroup/memory.current": "52428800\n",
		}, 600 * mib},
		{"a mount of a part of the tree", map[string]string{
			"proc/self/mountinfo":            "30 20 0:26 /docker/0815 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
			"proc/self/cgroup":               "0::/docker/0815/x\n",
			"sys/fs/cgroup/x/memory.max":     "629145600\n",
			"sys/fs/cgroup/x/memory.current": "52428800\n",
		}, 600 * mib},
		{"both kinds, as on a hybrid host", map[string]string{
			"proc/self/mountinfo": v1 +
				"35 20 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
			"proc/self/cgroup": "4:memory:/job\n0::/\n",
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes": "629145600\n",
			"sys/fs/cgroup/memory/job/memory.usage_in_bytes": "52428800\n",
			"sys/fs/cgroup/unified/cgroup.procs":             "1\n",
		}, 600 * mib},
		{"a group that is full already", map[string]string{
			"proc/self/mountinfo":            v2,
			"proc/self/cgroup":               "0::/a\n",
			"sys/fs/cgroup/a/memory.max":     "104857600\n",
			"sys/fs/cgroup/a/memory.current": "209715200\n",
		}, 50 * mib},
		{"an unreadable file sets no limit", map[string]string{
			"proc/self/mountinfo":        "nonsense\n - \n" + v2,
			"proc/self/cgroup":           "nonsense\n0::/a\n",
			"sys/fs/cgroup/a/memory.max": "a lot\n",
		}, 8*gib + 50*mib},
	} {
		if got := limit(system(c.files)); got != c.want {
			t.Errorf("%s: limit %d KiB, want %d", c.name, got/kib, c.want/kib)
		}
	}
	none := system(nil)
	delete(none, "proc/meminfo")
	if got := limit(none); got != 0 {
		t.Errorf("limit %d on a system without information", got)
	}
}

func TestThisHostHasALimit(t *testing.T) {
	if Limit() < 1 {
		t.Errorf("limit %d", Limit())
	}
}
