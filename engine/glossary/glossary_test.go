package glossary

import (
	"slices"
	"strings"
	"testing"
)

// Terms are in alphabetical order, and each has at most two or three short sentences.
func TestTerms(t *testing.T) {
	last := ""
	for _, x := range Find("") {
		if name := strings.ToLower(x.Name); name <= last {
			t.Errorf("%q comes after %q", x.Name, last)
		} else {
			last = name
		}
		if len(x.Definition()) > 420 || !strings.HasSuffix(x.Text, ".") {
			t.Errorf("%s: want full sentences of at most 420 bytes: %q", x.Name, x.Definition())
		}
	}
	if n := len(Find("")); n < 45 {
		t.Errorf("got %d terms, want at least 45", n)
	}
}

// Find returns each term first, or next to the terms that share a name, when one of its names is
// typed.
func TestFind(t *testing.T) {
	for _, x := range Find("") {
		for _, name := range append([]string{x.Name}, x.Also...) {
			found := Find(strings.ToUpper(name))
			i := slices.IndexFunc(found, func(y Term) bool { return y.Name == x.Name })
			named := func(y Term) bool { return strings.Contains(strings.ToLower(y.Names()), strings.ToLower(name)) }
			if i < 0 || slices.ContainsFunc(found[:i], func(y Term) bool { return !named(y) }) {
				t.Errorf("%q: got %s at %d of %d", name, x.Name, i, len(found))
			}
		}
	}
	if got := Find("no such term"); len(got) != 0 {
		t.Errorf("got %d terms, want none", len(got))
	}
	if got := Find(""); len(got) != len(terms) {
		t.Errorf("an empty query finds %d terms, want all %d", len(got), len(terms))
	}
}

// The glossary explains every term that labels and explanations use without saying what it means.
func TestTermsOfTheScreen(t *testing.T) {
	for _, word := range []string{
		"ε", "f_comm", "f_non", "dilation", "sketch", "N = ⟨", "G", "late", "rank", "node", "thread", "team", "segment",
		"affinity", "group", "eager", "rendezvous", "put", "get", "RPC", "progress", "remote completion", "put with signal",
		"self", "intra-node", "inter-node", "fell behind", "noise", "detour", "packet train", "lane", "VCI", "overhead o",
		"gap g", "latency L", "message server", "halo", "ghost", "face", "baseline", "knob", "study", "scenario", "measured",
		"emulated", "simulated", "modelled", "published", "sourced", "derived", "fitted", "assumed", "predicted", "refuted",
		"execution model", "cost model", "decision map", "winners", "slowdown", "guidelines", "masteronly", "funneled",
		"serialized", "multiple", "late sender", "late receiver", "wait-for graph", "critical path", "SUMMA", "natural",
		"fine-grained", "mysync", "allsync", "nosync", "p50", "virtual time",
	} {
		if !slices.ContainsFunc(Find(""), func(x Term) bool { return strings.Contains(x.Names(), word) }) {
			t.Errorf("no term is called %q", word)
		}
	}
}
