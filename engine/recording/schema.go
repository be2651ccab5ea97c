package recording

// The header of a file identifies hybridtop and the version of the tables. A version that adds,
// drops or changes a column increases the number. Earlier formats can be read, but are no longer written.
const (
	applicationID = 0x48545231 // "HTR1"
	version       = 3
	minVersion    = 1
)

// schema lists the tables in the order of their creation. NULL represents NaN. Hashes are text,
// because SQLite has no integers above 2⁶³.
var schema = []string{
	`CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID`,
	runTable,
	`CREATE TABLE machine(id INTEGER PRIMARY KEY, name TEXT, toml TEXT, sha256 TEXT UNIQUE)`,
	`CREATE TABLE launch(id INTEGER PRIMARY KEY, run INTEGER REFERENCES run, at_ns INTEGER,
  workload TEXT, machine INTEGER REFERENCES machine, fabric TEXT, kind TEXT, seed TEXT,
  iterations INTEGER, cut INTEGER, whole INTEGER, hash TEXT, total_ps INTEGER, events TEXT,
  checks INTEGER, verified INTEGER, detail TEXT, failure TEXT)`,
	`CREATE INDEX launch_run ON launch(run)`,
	`CREATE TABLE knob(launch INTEGER, i INTEGER, name TEXT, value TEXT, type TEXT, unit TEXT, def TEXT, role TEXT, label TEXT, doc TEXT,
  PRIMARY KEY(launch,name)) WITHOUT ROWID`,
	`CREATE TABLE command(run INTEGER, seq INTEGER, at_ns INTEGER, launch INTEGER,
  verb TEXT, knob TEXT, value TEXT, error TEXT, PRIMARY KEY(run,seq)) WITHOUT ROWID`,
	`CREATE TABLE mark(run INTEGER, at_ns INTEGER, label TEXT)`,
	`CREATE INDEX mark_run ON mark(run, at_ns)`,
	`CREATE TABLE sample(run INTEGER, i INTEGER, launch INTEGER, at_ns INTEGER, fabric_ps INTEGER,
  rate_rank REAL, rate_node REAL, rate_remote REAL, ops_rank REAL, ops_node REAL, ops_remote REAL,
  local REAL, access_s REAL, PRIMARY KEY(run,i)) WITHOUT ROWID`,
	`CREATE TABLE iteration(launch INTEGER, i INTEGER, s REAL, PRIMARY KEY(launch,i)) WITHOUT ROWID`,
	`CREATE TABLE metric(launch INTEGER, i INTEGER, name TEXT, value REAL, unit TEXT, kind TEXT,
  PRIMARY KEY(launch,name)) WITHOUT ROWID`,
	latencyTable,
	`CREATE TABLE frame(run INTEGER, first INTEGER, n INTEGER, from_ns INTEGER, to_ns INTEGER,
  crc INTEGER, data BLOB, PRIMARY KEY(run,first))`,
	`CREATE TABLE lane(id INTEGER PRIMARY KEY, launch INTEGER, rank INTEGER, thread INTEGER)`,
	`CREATE INDEX lane_launch ON lane(launch)`,
	`CREATE TABLE block(id INTEGER PRIMARY KEY, lane INTEGER, kind INTEGER, first INTEGER, n INTEGER, dropped INTEGER,
  from_ps INTEGER, to_ps INTEGER, sleep_ps INTEGER, compute_ps INTEGER, comm_ps INTEGER, copy_ps INTEGER, wait_ps INTEGER, lock_ps INTEGER,
  before BLOB, codec INTEGER, crc INTEGER, size INTEGER)`,
	`CREATE INDEX block_first ON block(lane, first)`,
	`CREATE TABLE body(block INTEGER PRIMARY KEY, data BLOB)`,
	`CREATE VIEW bandwidth AS SELECT run, at_ns/1e9 AS t_s, rate_rank, rate_node, rate_remote FROM sample`,
	`CREATE VIEW verification AS SELECT run, id AS launch, workload, fabric, iterations, cut, hash, checks, verified, detail FROM launch`,
	`CREATE VIEW metrics AS SELECT l.run, l.id AS launch, l.workload, m.name, m.value, m.unit, m.kind FROM metric m JOIN launch l ON l.id = m.launch`,
	latencyView,
}

// The tables that differ between formats. Format 1 has latencies of a whole launch, without their
// times. Formats 1 and 2 do not have the revision of the simulator's cost rules.
const (
	runTable = `CREATE TABLE run(id INTEGER PRIMARY KEY, sweep TEXT, began_utc TEXT, ended_ns INTEGER,
  version TEXT, build TEXT, rules TEXT, goos TEXT, goarch TEXT, cores INTEGER, finished INTEGER NOT NULL DEFAULT 0, lost INTEGER NOT NULL DEFAULT 0)`
	runTable2 = `CREATE TABLE run(id INTEGER PRIMARY KEY, sweep TEXT, began_utc TEXT, ended_ns INTEGER,
  version TEXT, build TEXT, goos TEXT, goarch TEXT, cores INTEGER, finished INTEGER NOT NULL DEFAULT 0, lost INTEGER NOT NULL DEFAULT 0)`
	latencyTable = `CREATE TABLE latency(launch INTEGER, class TEXT, from_ns INTEGER, to_ns INTEGER,
  n INTEGER, mean_s REAL, min_s REAL, p50_s REAL, p99_s REAL, max_s REAL, hdr BLOB, PRIMARY KEY(launch,to_ns,class))`
	latencyView   = `CREATE VIEW latencies AS SELECT l.run, l.id AS launch, x.to_ns/1e9 AS t_s, x.class, x.n, x.mean_s, x.min_s, x.p50_s, x.p99_s, x.max_s FROM latency x JOIN launch l ON l.id = x.launch`
	latencyTable1 = `CREATE TABLE latency(launch INTEGER, class TEXT, hdr BLOB, PRIMARY KEY(launch,class)) WITHOUT ROWID`
)

// schemaOf returns the tables of a format.
func schemaOf(format int) []string {
	var all []string
	for _, s := range schema {
		switch {
		case s == runTable && format <= 2:
			all = append(all, runTable2)
		case s == latencyTable && format == 1:
			all = append(all, latencyTable1)
		case s == latencyView && format == 1:
		default:
			all = append(all, s)
		}
	}
	return all
}

// Kinds of blocks, and their encoding.
const (
	kindIntervals = 1
	kindArrows    = 2
	kindSamples   = 3
	codecZstd     = 1
)

// sampleLane is the rank of the lane that holds a run's samples.
const sampleLane = -2
