package engine

// A ProfileSpec declares a list of numbers that a workload reports by index, such as a residual
// per cycle or a time per step.
type ProfileSpec struct {
	Name   string
	Title  string // for a screen
	Unit   string
	Doc    string
	Over   string // meaning of an index: "cycle"
	Places int    // maximum number of values
}

// A Profile holds the reported values by index, as means over ranks and iterations. NaN means
// that no value was reported.
type Profile struct {
	Name   string
	Title  string
	Unit   string
	Kind   Kind
	Over   string
	Values []float64 // up to the last index with a value
}

// Profile returns the profile with this name, or nil if it has no values.
func (s *Snapshot) Profile(name string) *Profile {
	for i := range s.Profiles {
		if s.Profiles[i].Name == name {
			return &s.Profiles[i]
		}
	}
	return nil
}

// MaxRanked is the maximum number of ranks for which a snapshot has metrics by rank.
const MaxRanked = 4096

// Ranked is a metric of each rank, as means over its iterations. NaN means no value.
type Ranked struct {
	Metric
	Values []float64 // by rank; Value is their mean
}
