package engine

// ProfileSpec declares a list of numbers that a workload reports by their place: a
// residual a cycle, a time a step.
type ProfileSpec struct {
	Name   string
	Title  string // for a screen
	Unit   string
	Doc    string
	Over   string // what a place is: "cycle"
	Places int    // at most so many
}

// Profile is what was reported at each place, mean over ranks and iterations; NaN:
// nothing.
type Profile struct {
	Name   string
	Title  string
	Unit   string
	Kind   Kind
	Over   string
	Values []float64 // up to the last place that has any
}

// Profile finds a profile by name; nil: nothing was reported of it.
func (s *Snapshot) Profile(name string) *Profile {
	for i := range s.Profiles {
		if s.Profiles[i].Name == name {
			return &s.Profiles[i]
		}
	}
	return nil
}

// MostRanked is of how many ranks a snapshot has a metric each.
const MostRanked = 4096

// Ranked is a metric of each rank, mean over its iterations; NaN: it reported none.
type Ranked struct {
	Metric
	Values []float64 // by rank; Value is their mean
}
