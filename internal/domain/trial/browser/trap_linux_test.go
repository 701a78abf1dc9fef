package browser

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// stageTrap is a stage before StageRoom: in the worker's network every address there is leads to listeners, on the ports that are named
// behind it and on those of DNS, HTTP and HTTPS. A page that gets past the proxy gets somewhere.
const stageTrap = "trap "

// known are the ports on which somebody listens in any trap.
var known = []int{53, 80, 443, 3478, 9222}

func trapped(ports string) error {
	runtime.LockOSThread() // capabilities belong to threads
	if err := loopbackUp(); err != nil {
		return err
	}
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_unprivileged_port_start", []byte("0"), 0o600); err != nil {
		return err
	}
	if err := errors.Join(everywhere(unix.AF_INET), everywhere(unix.AF_INET6)); err != nil {
		return err
	}
	all := slices.Clone(known)
	ports, walks := strings.CutSuffix(ports, " walk")
	for _, port := range strings.Fields(ports) {
		n, err := strconv.Atoi(port)
		if err != nil {
			return err
		}
		all = append(all, n)
	}
	for _, port := range all {
		for _, kind := range []int{unix.SOCK_STREAM, unix.SOCK_DGRAM} {
			if err := ear(kind, port); err != nil {
				return fmt.Errorf("listen on %d: %w", port, err)
			}
		}
	}
	if walks {
		return walk(all[len(all)-1])
	}
	return furnish()
}

// walk goes into the trap, and waits there.
func walk(port int) error {
	c, err := net.Dial("tcp", fmt.Sprintf("10.1.2.3:%d", port))
	if err != nil {
		return err
	}
	defer c.Close()
	p, err := net.Dial("udp", "8.8.8.8:53")
	if err != nil {
		return err
	}
	defer p.Close()
	if _, err := p.Write([]byte("x")); err != nil {
		return err
	}
	return unix.Pause()
}

// ear opens a socket that outlives exec. Nobody reads it: the system keeps who came.
func ear(kind, port int) error {
	s, err := unix.Socket(unix.AF_INET6, kind, 0)
	if err != nil {
		return err
	}
	if err := unix.SetsockoptInt(s, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 0); err != nil {
		return err
	}
	if err := unix.Bind(s, &unix.SockaddrInet6{Port: port}); err != nil || kind == unix.SOCK_DGRAM {
		return err
	}
	return unix.Listen(s, 128)
}

// everywhere has all addresses of a family be those of this machine: ip route add local default dev lo.
func everywhere(family byte) error {
	s, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	const size = unix.SizeofNlMsghdr + unix.SizeofRtMsg + 8
	m := binary.NativeEndian.AppendUint32(nil, size)
	m = binary.NativeEndian.AppendUint16(m, unix.RTM_NEWROUTE)
	m = binary.NativeEndian.AppendUint16(m, unix.NLM_F_REQUEST|unix.NLM_F_ACK|unix.NLM_F_CREATE)
	m = append(m, 1, 0, 0, 0, 0, 0, 0, 0) // its number, and nobody's port
	m = append(m, family, 0, 0, 0, unix.RT_TABLE_LOCAL, unix.RTPROT_BOOT, unix.RT_SCOPE_HOST, unix.RTN_LOCAL, 0, 0, 0, 0)
	m = binary.NativeEndian.AppendUint16(m, 8)
	m = binary.NativeEndian.AppendUint16(m, unix.RTA_OIF)
	m = binary.NativeEndian.AppendUint32(m, 1) // the loopback interface
	if err := unix.Sendto(s, m, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 1024)
	n, _, err := unix.Recvfrom(s, answer, 0)
	if err != nil || n < unix.SizeofNlMsghdr+4 {
		return fmt.Errorf("no answer of netlink: %w", err)
	}
	if code := int32(binary.NativeEndian.Uint32(answer[unix.SizeofNlMsghdr:])); code != 0 {
		return unix.Errno(-code)
	}
	return nil
}

// caught is what came to a trap.
type caught struct {
	mu      sync.Mutex
	inside  map[int]int    // connections and bytes of packets that lie at a port in the worker's network
	sent    int            // packets that were sent there
	pids    map[int]string // processes beneath the worker, and when each began
	threads int            // the most that there were at once
	strange []string       // commands that are neither the browser nor the worker
	loaded  []string       // files that a page had the browser keep
	ended   chan struct{}
	done    chan struct{}
}

// catch watches the one worker that this process has, until done.
func catch(t *testing.T) *caught {
	t.Helper()
	c := &caught{inside: map[int]int{}, pids: map[int]string{}, ended: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(c.done)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				c.look()
			case <-c.ended:
				return
			}
		}
	}()
	return c
}

func (c *caught) look() {
	beneath := descendants(os.Getpid())
	own, _ := os.ReadFile("/proc/self/cmdline")
	c.mu.Lock()
	defer c.mu.Unlock()
	threads := 0
	for pid, parent := range beneath {
		if begun := begin(pid); begun != "" {
			c.pids[pid] = begun
		}
		threads += int(number(statusOf(pid), "Threads:"))
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		// A child that this process forks has the command of the test until it executes its own.
		forked := parent == os.Getpid() && bytes.Equal(command, own)
		if len(command) > 0 && !forked && !usualCommand(string(command)) && !slices.Contains(c.strange, string(command)) {
			c.strange = append(c.strange, string(command))
		}
		kept, _ := filepath.Glob(fmt.Sprintf("/proc/%d/root/tmp/*load*", pid)) // the pattern is right
		more, _ := filepath.Glob(fmt.Sprintf("/proc/%d/root/tmp/*/*load*", pid))
		for _, file := range slices.Concat(kept, more) {
			if name := filepath.Base(file); !slices.Contains(c.loaded, name) && parent != os.Getpid() {
				c.loaded = append(c.loaded, name)
			}
		}
		if parent == os.Getpid() {
			c.tables(pid)
		}
	}
	c.threads = max(c.threads, threads)
}

// usualCommand reports whether this is a process of a worker or of its browser.
func usualCommand(command string) bool {
	program, _, _ := strings.Cut(command, "\x00") // none: Chromium is about to name a process
	return program == "" || program == "sandlot" || program == "/proc/self/exe" || strings.Contains(program, "chrom")
}

// tables reads the kernel's tables of a process's network.
func (c *caught) tables(pid int) {
	at := fmt.Sprintf("/proc/%d/net/", pid)
	own, _ := os.Readlink("/proc/self/ns/net")
	its, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", pid))
	if err != nil || own == its {
		return // it has none of its own yet
	}
	for _, name := range []string{"tcp6", "udp6"} {
		text, _ := os.ReadFile(at + name)
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) < 5 || f[0] == "sl" || name == "tcp6" && f[3] != "0A" { // listens
				continue
			}
			_, hex, _ := strings.Cut(f[1], ":")
			port, _ := strconv.ParseInt(hex, 16, 64)
			_, hex, _ = strings.Cut(f[4], ":")
			waits, _ := strconv.ParseInt(hex, 16, 64)
			c.inside[int(port)] = max(c.inside[int(port)], int(waits))
		}
	}
	four, _ := os.ReadFile(at + "snmp")
	six, _ := os.ReadFile(at + "snmp6")
	c.sent = max(c.sent, int(datagrams(four)+number(append([]byte("\n"), six...), "Udp6OutDatagrams")))
}

// datagrams returns the kernel's count of sent datagrams of IPv4.
func datagrams(snmp []byte) int64 {
	for line := range bytes.Lines(snmp) {
		if f := bytes.Fields(line); len(f) > 4 && string(f[0]) == "Udp:" {
			if n, err := strconv.ParseInt(string(f[4]), 10, 64); err == nil {
				return n
			}
		}
	}
	return 0
}

// end stops watching, and holds that nothing of what was seen is left.
func (c *caught) end(t *testing.T) {
	t.Helper()
	close(c.ended)
	<-c.done
	testenv.Eventually(t, 10*time.Second, "the end of all processes of the trial", func() bool {
		for pid, begun := range c.pids {
			if begin(pid) == begun {
				return false
			}
		}
		return true
	})
}

// descendants are the processes beneath one, each with its parent.
func descendants(root int) map[int]int {
	parents := map[int]int{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			parents[pid] = int(number(statusOf(pid), "PPid:"))
		}
	}
	found := map[int]int{}
	for pid := range parents {
		for at := pid; at > 1; at = parents[at] {
			if parents[at] == root {
				found[pid] = parents[pid]
				break
			}
		}
	}
	return found
}

// begin is when a process began; empty if it has ended.
func begin(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(text), ") ")
	if f := strings.Fields(after); len(f) > 19 && f[0] != "Z" {
		return f[19]
	}
	return ""
}

// outside listens on the loopback addresses of the machine itself, on as many ports as are asked for, and counts who comes to each.
func outside(t *testing.T, many int) (ports []int, came func(port int) int) {
	t.Helper()
	var mu sync.Mutex
	count := map[int]int{}
	note := func(port int) { mu.Lock(); count[port]++; mu.Unlock() }
	for len(ports) < many {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		expect.OK(t, err)
		port := l.Addr().(*net.TCPAddr).Port
		ears, packets := []net.Listener{l}, []net.PacketConn{}
		six, err6 := net.Listen("tcp6", fmt.Sprintf("[::1]:%d", port))
		udp, err4 := net.ListenPacket("udp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err6 != nil || err4 != nil { // another has the port there
			t.Cleanup(func() { _ = l.Close() })
			continue
		}
		ears, packets = append(ears, six), append(packets, udp)
		for _, l := range ears {
			t.Cleanup(func() { _ = l.Close() })
			go func() {
				for c, err := l.Accept(); err == nil; c, err = l.Accept() {
					note(port)
					_ = c.Close()
				}
			}()
		}
		for _, p := range packets {
			t.Cleanup(func() { _ = p.Close() })
			go func() {
				for _, _, err := p.ReadFrom(make([]byte, 1500)); err == nil; _, _, err = p.ReadFrom(make([]byte, 1500)) {
					note(port)
				}
			}()
		}
		ports = append(ports, port)
	}
	return ports, func(port int) int { mu.Lock(); defer mu.Unlock(); return count[port] }
}

// stageOf is the trap with these ports.
func stageOf(ports []int) string {
	return stageTrap + strings.Trim(fmt.Sprint(ports), "[]")
}
