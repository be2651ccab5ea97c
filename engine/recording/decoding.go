package recording

import (
	"runtime"
	"sync"
)

// decoding unpacks the lanes of a view in parallel with further reads of the file. A lane is in a
// single piece, so only one goroutine changes it.
type decoding struct {
	pieces chan piece
	all    sync.WaitGroup
	mu     sync.Mutex // guards bad
	bad    map[*track]error
}

// piece is the part of a lane to decode: the numbers of its intervals, and the blocks that contain
// them.
type piece struct {
	track      *track
	from, upTo uint64
	rows       []blockRow
}

// maxDecoders is the maximum number of pieces that are unpacked in parallel.
const maxDecoders = 4

// decoding starts the decoders.
func (f *File) decoding() *decoding {
	d := &decoding{pieces: make(chan piece, 2*maxDecoders), bad: make(map[*track]error)}
	for i := range min(runtime.GOMAXPROCS(0), maxDecoders) {
		if i == len(f.decoders) {
			f.decoders = append(f.decoders, newUnpacker())
		}
		u := f.decoders[i]
		d.all.Go(func() {
			for p := range d.pieces {
				for k := range p.rows {
					if err := p.track.add(u, &p.rows[k], p.from, p.upTo); err != nil {
						d.fail(p.track, err)
						break
					}
				}
			}
		})
	}
	return d
}

func (d *decoding) add(p piece) { d.pieces <- p }

// fail stores the error of a lane.
func (d *decoding) fail(lane *track, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bad[lane] = err
}

// end waits for all pieces, and returns the errors by lane.
func (d *decoding) end() map[*track]error {
	close(d.pieces)
	d.all.Wait()
	return d.bad
}
