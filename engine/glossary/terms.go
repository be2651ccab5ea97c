package glossary

// terms is the glossary, ordered by name.
var terms = []Term{
	{
		Name:   "affinity",
		Text:   "An element of a shared array has affinity to the rank whose memory holds it. An access is cheapest there.",
		Source: "paper 1, section 2.2",
	},
	{
		Name: "baseline",
		Text: "A run that you keep with `b` to compare later runs with. The panes then show its values next to the " +
			"present ones.",
	},
	{
		Name: "claim",
		Also: []string{"verdict", "pass", "refuted", "predicted", "exact", "verified"},
		Text: "A statement of a paper that `hybridtop reproduce` checks. A check passes or is refuted. Its label shows " +
			"its value as proof: " +
			"predicted (it can fail), fitted (its data set the constants), exact (arithmetic) or verified (true by " +
			"construction).",
	},
	{
		Name: "collective",
		Text: "An operation in which all ranks of a team take part, such as a broadcast, a reduction or an exchange " +
			"(all-to-all).",
	},
	{
		Name: "cost model",
		Also: []string{"model's curve"},
		Text: "A formula that predicts a time from a few numbers, without running anything. Its numbers are modelled.",
	},
	{
		Name: "critical path",
		Text: "The chain of computation and messages that determines the time of a run. A delay on it delays the end.",
	},
	{
		Name: "decision map",
		Also: []string{"winners"},
		Text: "A map that shows the fastest choice in each cell. The pane Winners has the fastest algorithm of a collective, " +
			"over message size and number of ranks. & maps the choices of a knob over two numbers of a simulation.",
	},
	{
		Name: "eager",
		Also: []string{"eager limit"},
		Text: "A send of at most the eager limit goes out at once, before the receiver is ready. The receiver may have " +
			"to copy it.",
	},
	{
		Name: "epsilon",
		Also: []string{"ε", "overlap ε"},
		Text: "The gain from overlapping communication and computation: the time of masteronly divided by the time " +
			"of the present threading scheme. Above 1, overlap is faster.",
		Formula: "ε = [f_non + max(f_comm/m, f_overlap·n/(n−m))]⁻¹, with m of n threads reserved for communication",
		Source:  "paper 2, section 7.2.1, equation (3)",
	},
	{
		Name: "execution model",
		Also: []string{"flat", "nested-funneled", "nested-multiple"},
		Text: "How UPC groups and MPI ranks combine. Flat: one group of all ranks. Nested-funneled: only rank 0 of each " +
			"group may call MPI. " +
			"Nested-multiple: every rank may.",
		Source: "paper 1, sections 3.1 and 3.2",
	},
	{
		Name: "f_comm, f_non and f_overlap",
		Also: []string{"f_comp,non", "f_comp,overlap", "fractions"},
		Text: "Shares of the time of a masteronly run: communication (f_comm), computation that must wait for " +
			"communication (f_non), and computation that can overlap with it (f_overlap).",
		Formula: "f_comm + f_non + f_overlap = 1",
		Source:  "paper 2, section 7.2.1, equation (1)",
	},
	{
		Name: "group",
		Also: []string{"UPC group", "G (group size)", "THREADS"},
		Text: "The ranks that share UPC memory. A rank accesses shared arrays only inside its own group. In random " +
			"access, each group holds a copy of the array.",
		Source: "paper 1, section 3",
	},
	{
		Name: "halo",
		Also: []string{"ghost cells", "face"},
		Text: "Copies of the cells that border a rank's part of a grid and belong to its neighbours. A halo exchange " +
			"updates them. A face is one side of the part.",
	},
	{
		Name: "kind of number",
		Also: []string{"measured", "emulated", "simulated", "modelled", "published"},
		Text: "Where a number comes from. Measured: this host's clock. Emulated: this host's clock with another " +
			"machine's delays added. " +
			"Simulated: virtual time. Modelled: a formula. Published: a paper.",
	},
	{
		Name: "knob",
		Text: "A parameter that you can change while a program runs, such as the group size, the machine or the number " +
			"of nodes.",
	},
	{
		Name: "lane",
		Text: "One line of the timeline: a thread, or a stream of a device.",
	},
	{
		Name: "late sender",
		Also: []string{"late receiver"},
		Text: "A wait state. Late sender: a receive waits because its message has not been sent yet. Late receiver: a " +
			"rendezvous send waits because its receive has not been posted yet.",
	},
	{
		Name: "local access model",
		Also: []string{"l_avg", "locality"},
		Text: "The mean time of an access to a shared array. P is the share of local accesses, l_l the latency of a " +
			"local access, and l_r that of a remote access.",
		Formula: "l_avg = (l_l − l_r)·P + l_r",
		Source:  "paper 1, section 4.3.1",
	},
	{
		Name: "LogGP parameters",
		Also: []string{"latency L", "overhead o", "gap g", "G"},
		Text: "The cost of a message of n bytes. o (overhead): time of the processor at each end. L (latency): time " +
			"on the network. g (gap): least time between the starts of two messages. G: time per byte, which is 1/bandwidth.",
		Formula: "o + L + n·G + o for one message",
	},
	{
		Name: "message server",
		Text: "A processor of a node through which all its messages to and from other nodes pass, one after another. " +
			"The Hitachi SR8000 has one.",
	},
	{
		Name: "mysync, allsync and nosync",
		Also: []string{"synchronization modes", "loose and strict synchronization"},
		Text: "When a collective may return: mysync, when the local data are ready; allsync, when all ranks' data are " +
			"ready; nosync, when the local work is done.",
		Source: "paper 5, section 2.1",
	},
	{
		Name: "N = ⟨groups, UPC, MPI⟩",
		Also: []string{"N", "ID", "ID triple"},
		Text: "The shape of a hybrid run: number of groups, ranks per group, MPI ranks. N = ⟨1, 4, 4⟩ is one " +
			"group of 4 ranks, all of which are MPI ranks. The ID of a rank lists its numbers in the same order.",
		Source: "paper 1, section 3",
	},
	{
		Name: "natural granularity",
		Also: []string{"natural puts", "fine-grained puts", "bulk"},
		Text: "Each contiguous piece of data is put on its own, as the program stores it. The bulk version packs the " +
			"pieces into one message first.",
		Source: "paper 3, section I",
	},
	{
		Name: "node",
		Text: "A computer of the cluster. Its ranks share memory; other nodes are reached over the network.",
	},
	{
		Name: "OS noise",
		Also: []string{"noise", "detour"},
		Text: "Interruptions of a program by the operating system. A detour is one interruption. --with " +
			"detour_rate_per_s=1000,detour_length_s=25e-6 adds detours to the simulation of any workload. The knobs noise-rate and " +
			"noise-length of heat add detours on every fabric.",
	},
	{
		Name: "packet train",
		Also: []string{"train of puts"},
		Text: "Several puts to one rank, posted in one call. Each block is a separate message.",
	},
	{
		Name: "percentile",
		Also: []string{"p50", "p99", "median"},
		Text: "p50 is the median: half of the values are below it. 99 % of the values are below p99.",
	},
	{
		Name: "performance guidelines",
		Also: []string{"guidelines"},
		Text: "Rules that any tuned library should meet, such as: an allreduce takes no longer than a reduce and a " +
			"broadcast. A violation reveals a bad choice of algorithm.",
	},
	{
		Name: "PGAS",
		Also: []string{"partitioned global address space", "UPC", "shared array"},
		Text: "A programming model in which a rank reads and writes the memory of other ranks as parts of shared " +
			"arrays. UPC and UPC++ are examples.",
		Source: "paper 1, section 2.2",
	},
	{
		Name: "progress",
		Also: []string{"progress engine"},
		Text: "The advance of a pending message. It needs calls of the rank (call), a helper thread (thread) or the " +
			"network adapter (offload). With call, a message can stall during computation.",
	},
	{
		Name: "put and get",
		Also: []string{"put", "get", "one-sided communication"},
		Text: "A put writes into the memory of another rank, and a get reads from it. The other rank posts no receive.",
	},
	{
		Name:   "put with signal",
		Also:   []string{"signaling put"},
		Text:   "A put that also updates a flag at the target after the data have arrived. The target waits for the flag.",
		Source: "paper 5, section 3.3.1",
	},
	{
		Name: "rank",
		Text: "One process of a parallel program. It has its own memory and number, and may have several threads.",
	},
	{
		Name: "remote completion",
		Text: "A put is complete remotely when its data are in the target's memory. It is complete locally when the " +
			"source buffer may be written again.",
	},
	{
		Name: "rendezvous",
		Also: []string{"RTS", "CTS"},
		Text: "A send above the eager limit. The sender sends a request (RTS), and the receiver answers when its " +
			"receive is posted (CTS). Then the data go out without extra copies.",
	},
	{
		Name: "RPC",
		Also: []string{"remote procedure call"},
		Text: "A rank sends arguments to another rank, which runs a function with them. The target must make progress " +
			"to run it.",
	},
	{
		Name: "scenario",
		Also: []string{"preset"},
		Text: "A workload with the values of all its knobs. `O` lists the built-in scenarios: what to run, what to " +
			"watch and which paper it is from.",
	},
	{
		Name: "segment",
		Text: "The part of a rank's memory that other ranks may access with put, get and atomics.",
	},
	{
		Name: "self, intra-node and inter-node",
		Also: []string{"locality class", "in_rank, in_node, remote"},
		Text: "The distance of a transfer: inside the rank itself, to another rank of the same node, or to another " +
			"node. Files and JSON call them in_rank, in_node and remote.",
	},
	{
		Name: "size-only message",
		Also: []string{"no payload"},
		Text: "A message that has a size and a cost, but no data. Large simulations use it to save memory. A small " +
			"instance with data is verified instead.",
	},
	{
		Name: "sketch",
		Also: []string{"sketch machine"},
		Text: "A machine of which more than a third of the numbers are assumed. Trust the shape of its results, not " +
			"their size.",
	},
	{
		Name:    "slowdown versus the best choice",
		Also:    []string{"regret"},
		Text:    "How much longer the chosen algorithm takes than the fastest one.",
		Formula: "t(chosen)/t(best) − 1",
	},
	{
		Name: "source of a machine's number",
		Also: []string{"sourced", "derived", "fitted", "assumed", "unknown"},
		Text: "Sourced: from a document. Derived: computed from sourced numbers. Fitted: set to match a published " +
			"point. Assumed: a guess. A number computed from an assumed one is assumed, too.",
	},
	{
		Name: "study",
		Text: "A table that compares runs, and its charts. Each run with other knobs adds a row.",
	},
	{
		Name: "SUMMA",
		Text: "An algorithm for C = A·B on a grid of ranks. In each step, a panel of A is broadcast along the rows " +
			"and a panel of B along the columns, and each rank multiplies them.",
		Source: "paper 5, section 6.1",
	},
	{
		Name: "team",
		Also: []string{"communicator"},
		Text: "An ordered set of ranks with its own message context. MPI calls it a communicator, UPC++ and GASNet a team.",
	},
	{
		Name: "thread",
		Text: "A part of a rank that computes in parallel with the others and shares the rank's memory, as in OpenMP.",
	},
	{
		Name: "thread level",
		Also: []string{"masteronly", "funneled", "serialized", "multiple"},
		Text: "Which threads may call MPI. Masteronly: calls only outside parallel regions. Funneled: only the master " +
			"thread, while others compute. " +
			"Serialized: any thread, one at a time. Multiple: any thread at any time.",
		Source: "paper 2, section 3",
	},
	{
		Name: "time dilation",
		Also: []string{"dilation"},
		Text: "The factor by which an emulated machine runs slower than real time, so that this host can keep up. " +
			"Measured times are divided by it.",
	},
	{
		Name: "timing error",
		Also: []string{"late timing", "the host fell behind", "overrun", "inaccurate"},
		Text: "In an emulation, events that happen after their due time because the host is too busy. If the host falls " +
			"behind too far, timings are discarded: use a larger dilation or simulate.",
	},
	{
		Name: "VCI",
		Also: []string{"virtual communication interface"},
		Text: "A set of message queues with its own lock. Threads that use different VCIs do not wait for each other.",
	},
	{
		Name: "verification",
		Also: []string{"verified results", "wrong result"},
		Text: "A check of the program's results, for instance against a sequential program. The status line shows the " +
			"number of checks.",
	},
	{
		Name: "virtual time",
		Also: []string{"simulation"},
		Text: "The clock of a simulation. It advances by the costs of the described machine, independently of the speed " +
			"of this host.",
	},
	{
		Name: "wait-for graph",
		Also: []string{"deadlock", "who waits for whom"},
		Text: "It has an edge from each waiting rank to the ranks it waits for. If no event can end the waiting, the " +
			"run is deadlocked, usually in a cycle.",
	},
}
