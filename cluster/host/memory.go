package host

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// Check refuses a spec that this host's free memory cannot hold, with
// overhead bytes a rank besides its segment. Fabrics call it before they take any.
func Check(s *cluster.Spec, overhead int64) error {
	have := availableMemory()
	ranks := int64(s.Layout.Ranks())
	if have > 0 && s.Segment+overhead > have/ranks {
		return fmt.Errorf("%d ranks with segments of %d B need more than the %d B of memory that this host has free: use a smaller problem, larger groups or fewer ranks",
			ranks, s.Segment, have)
	}
	return nil
}

// availableMemory is the memory that may be taken, in bytes; 0: unknown.
func availableMemory() int64 {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if rest, ok := strings.CutPrefix(sc.Text(), "MemAvailable:"); ok {
			kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
			if err != nil {
				return 0
			}
			return kb << 10
		}
	}
	return 0
}
