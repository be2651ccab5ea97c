package mutant

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
)

// Variable is the name of the environment variable. If it is not set, the program is unchanged.
const Variable = "MUTANT"

// active is the applied mutation, executed the file for executed places. One of them is -1 or nil.
var active, executed = read(os.Getenv(Variable))

// most is more than the number of places.
const most = 1 << 14

var seen [most]atomic.Bool // places in the file

func read(text string) (int, *os.File) {
	n, err := strconv.Atoi(text)
	if err == nil {
		return n, nil
	}
	if text == "" {
		return -1, nil
	}
	f, err := os.OpenFile(text, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", Variable, err))
	}
	return -1, f
}

// applies reports whether a mutation is applied, and notes that its place is executed.
func applies(id int) bool {
	if executed != nil && !seen[id].Load() {
		note(id)
	}
	return id == active
}

func note(id int) {
	if !seen[id].Swap(true) {
		fmt.Fprintln(executed, id)
	}
}

// number is the type of an index or of a constant.
type number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

// Condition returns a condition, negated by mutation id.
func Condition(id int, condition bool) bool { return condition != applies(id) }

// Calls reports whether a statement runs. Mutation id removes it.
func Calls(id int) bool { return !applies(id) }

// Index returns an index, to which mutation id adds by.
func Index[T number](id int, i, by T) T {
	if applies(id) {
		return i + by
	}
	return i
}

// Constant returns a constant, for which mutation id substitutes another one.
func Constant[T number](id int, x, other T) T {
	if applies(id) {
		return other
	}
	return x
}
