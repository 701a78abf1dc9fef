package browser

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

const watchEvery = 200 * time.Millisecond

// watch calls tooMuch once when a process and all beneath it have more memory than most, and then returns, or when
// ended is closed.
func watch(ended <-chan struct{}, pid int, most int64, tooMuch func()) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
			if taken(pid) > most {
				tooMuch()
				return
			}
		}
	}
}

// taken returns the bytes of memory that a process and all beneath it have of their own. Memory that several of them
// share counts for each.
func taken(root int) (sum int64) {
	children := map[int][]int{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if parent := number(statusOf(pid), "PPid:"); parent > 0 {
				children[int(parent)] = append(children[int(parent)], pid)
			}
		}
	}
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		status := statusOf(queue[0])
		sum += (number(status, "RssAnon:") + number(status, "RssShmem:")) << 10
		queue = append(queue, children[queue[0]]...)
	}
	return sum
}

func statusOf(pid int) []byte {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status") // the process may have ended
	return text
}

// number returns the number after a name at the beginning of a line; 0 if there is none.
func number(text []byte, name string) int64 {
	_, after, found := bytes.Cut(text, []byte("\n"+name))
	fields := bytes.Fields(after[:min(len(after), 64)])
	if !found || len(fields) == 0 {
		return 0
	}
	n, _ := strconv.ParseInt(string(fields[0]), 10, 64)
	return n
}
