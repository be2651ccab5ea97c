package presets

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// The costs that only simulations use can be in a file with their sources, and load back as
// written. A clock time of 0 differs from an omitted clock time.
func TestCostsOfSimulations(t *testing.T) {
	text := string(demo(t))
	for _, line := range []string{
		"remote.handshake_gap_s 5e-8", "remote.thread_receive_rate_bytes_per_s 1e9", "clock_time_s 0",
		"in_node.inline.limit_bytes 32", "in_node.inline.latency_s 3e-8", "in_node.inline.overhead_s 2e-8",
		"in_node.eager_copy_rate_bytes_per_s 5e9", "in_node.single_copy_rate_bytes_per_s 7e9",
		"in_node.access_rate_bytes_per_s 9e9",
		"in_node.uncached.limit_bytes 65536", "in_node.uncached.copy_rate_bytes_per_s 3e9",
		"message_server.send_s 3e-6", "message_server.receive_s 2e-6", "message_server.handshake_s 0",
	} {
		key, value, _ := strings.Cut(line, " ")
		text += "\n[" + key + "]\nvalue = " + value + "\nassumed = \"in a test\"\n"
	}
	m, err := decodeMachine("costly.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	checkSound(t, m)
	want := cluster.Server{Send: 3 * cluster.Microsecond, Receive: 2 * cluster.Microsecond}
	if l := m.Classes[cluster.Remote]; m.Server != want || l.HandshakeGap != 50*cluster.Nanosecond ||
		l.ReceiveRate != 1e9 {
		t.Errorf("server %+v, remote %+v", m.Server, l)
	}
	inline := cluster.Inline{Limit: 32, Latency: 30 * cluster.Nanosecond, Overhead: 20 * cluster.Nanosecond}
	if l := m.Classes[cluster.InNode]; l.Inline != inline || l.Uncached != (cluster.Uncached{Limit: 65536, Copy: 3e9}) ||
		l.EagerCopy != 5e9 || l.SingleCopy != 7e9 || l.AccessRate != 9e9 {
		t.Errorf("in node %+v", l)
	}
	if m.ClockTime == nil || *m.ClockTime != 0 {
		t.Errorf("the clock takes %v, want 0", m.ClockTime)
	}
	plain, err := decodeMachine("plain.toml", demo(t))
	if err != nil {
		t.Fatal(err)
	}
	if plain.ClockTime != nil || plain.Server != (cluster.Server{}) {
		t.Errorf("omitted: clock %v, server %+v", plain.ClockTime, plain.Server)
	}

	for key, value := range map[string]string{"remote.handshake_gap_s": "0", "clock_time_s": "-1e-9",
		"message_server.send_s": "2", "message_server.time_s": "1e-6",
		"in_node.inline.limit_bytes": "0", "in_node.eager_copy_rate_bytes_per_s": "5",
		"in_rank.single_copy_rate_bytes_per_s": "1e9"} {
		text := string(demo(t)) + "\n[" + key + "]\nvalue = " + value + "\nassumed = \"in a test\"\n"
		if _, err := decodeMachine("x.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s = %s: %v", key, value, err)
		}
	}
}
