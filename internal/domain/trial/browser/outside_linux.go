package browser

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// User is the user of a worker and its browser.
type User struct{ UID, GID int }

// Myself returns the user of the server's own process.
func Myself() User { return User{os.Geteuid(), os.Getegid()} }

// FindUser returns the user of trials: the user of that name or number, which only root may choose, or else the user of
// the server. It is never root.
func FindUser(name string) (User, error) {
	me := Myself()
	if name == "" {
		if me.UID == 0 {
			return User{}, errors.New("as root, --playtest needs --playtest-user with a user that owns nothing: " +
				"make one with adduser --system --group sandlot-playtest")
		}
		return me, nil
	}
	found, err := user.Lookup(name)
	if err != nil {
		if found, err = user.LookupId(name); err != nil {
			return User{}, fmt.Errorf("--playtest-user %[1]q is no user of this machine: "+
				"make one with adduser --system --group %[1]s", name)
		}
	}
	uid, err := strconv.Atoi(found.Uid)
	if err != nil {
		return User{}, err
	}
	gid, err := strconv.Atoi(found.Gid)
	switch {
	case err != nil:
		return User{}, err
	case uid == 0 || gid == 0:
		return User{}, fmt.Errorf("--playtest-user %q is root: choose a user that owns nothing", name)
	case me.UID != 0 && uid != me.UID:
		return User{}, fmt.Errorf("--playtest-user %q is another user than the server's, which only root may choose: leave it out", name)
	}
	return User{uid, gid}, nil
}

// errMemory means that a worker and the processes beneath it took too much.
var errMemory = errors.New("the page took more memory than a trial has")

// work runs one worker, from its start to the end of all its processes.
func (b *Browser) work(ctx context.Context, todo order, o *origin) (r report, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ours, theirs, err := pair()
	if err != nil {
		return r, err
	}
	defer ours.Close()
	said := &tail{}
	cmd := b.command(ctx, theirs, said)
	if err := start(cmd, theirs); err != nil {
		return r, fmt.Errorf("start the worker in namespaces: %w", refused(err))
	}
	ended := make(chan struct{})
	end := sync.OnceFunc(func() {
		_ = cmd.Process.Kill() // the first process of its namespace: all others end with it
		_ = cmd.Wait()         // until all its output is read
		close(ended)
	})
	defer end()
	go watch(ended, cmd.Process.Pid, cmp.Or(b.memory, mostMemory), func() { cancel(errMemory) })
	stop := context.AfterFunc(ctx, func() { _ = ours.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	r, err = talk(ours, todo, o)
	why := context.Cause(ctx)
	end()
	switch {
	case err == nil:
		return r, nil
	case why != nil:
		return r, why
	case said.String() != "":
		return r, fmt.Errorf("%w: %s", err, said)
	}
	return r, err
}

// refused adds an operator's remedies to the error of a system that gives a process no namespaces of its own. The
// system's words for that mislead: beyond user.max_user_namespaces they are that there is no space left on a device.
func refused(err error) error {
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return fmt.Errorf("this system refuses them; look at user.max_user_namespaces, kernel.unprivileged_userns_clone, "+
			"AppArmor's apparmor_restrict_unprivileged_userns, RestrictNamespaces of a systemd unit, "+
			"and at limits of the container (%w)", err)
	}
	return err
}

// talk gives a worker its order, answers its browser, and reads its messages.
func talk(conn *net.UnixConn, todo order, o *origin) (report, error) {
	l, err := receive(conn)
	if err != nil {
		return report{}, fmt.Errorf("the worker does not get ready: %w", err)
	}
	defer l.Close()
	go o.run(l)
	if err := send(conn, todo); err != nil {
		return report{}, err
	}
	return hear(conn)
}

// receive takes over the listener in the worker's network, and closes any other file.
func receive(conn *net.UnixConn) (net.Listener, error) {
	head, rights := make([]byte, 1), make([]byte, unix.CmsgSpace(4)) // one descriptor fills it, and two do as well
	n, got, _, _, err := conn.ReadMsgUnix(head, rights)
	if err != nil {
		return nil, err
	}
	given, err := filesIn(rights[:got])
	for _, file := range given {
		defer file.Close()
	}
	switch {
	case err != nil || len(given) == 0:
		return nil, io.ErrUnexpectedEOF // the process has ended
	case n != len(head) || head[0] != ready || len(given) > 1:
		return nil, errors.New("it sends something else")
	}
	return net.FileListener(given[0])
}

// filesIn returns the files that came beside a message.
func filesIn(rights []byte) (all []*os.File, err error) {
	messages, err := unix.ParseSocketControlMessage(rights)
	for i := range messages {
		fds, unread := unix.ParseUnixRights(&messages[i])
		err = errors.Join(err, unread)
		for _, fd := range fds {
			all = append(all, os.NewFile(uintptr(fd), "listener"))
		}
	}
	return all, err
}

// command returns the worker's process: this program again, in namespaces of its own.
func (b *Browser) command(ctx context.Context, socket *os.File, said io.Writer) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/proc/self/exe", "playtest-worker", cmp.Or(b.stage, StageRoom))
	cmd.Args[0] = "sandlot"
	cmd.Env = environment // none of the server's: it has passwords
	cmd.Dir = "/"
	cmd.Stderr = said
	cmd.ExtraFiles = []*os.File{socket}
	cmd.WaitDelay = 2 * time.Second
	root := os.Geteuid() == 0
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNET | unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWIPC |
			unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP,
		UidMappings:                []syscall.SysProcIDMap{{ContainerID: b.User.UID, HostID: b.User.UID, Size: 1}},
		GidMappings:                []syscall.SysProcIDMap{{ContainerID: b.User.GID, HostID: b.User.GID, Size: 1}},
		GidMappingsEnableSetgroups: root,
		Credential:                 &syscall.Credential{Uid: uint32(b.User.UID), Gid: uint32(b.User.GID), NoSetGroups: !root},
		AmbientCaps:                []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN}, // over its namespaces, until they are furnished
		Setsid:                     true,
		Pdeathsig:                  syscall.SIGKILL, // also if a page has taken it over, so that it would not end by itself
	}
	return cmd
}

// start starts a command that has one end of a pair, which is closed here.
func start(cmd *exec.Cmd, theirs *os.File) error {
	defer theirs.Close()
	return cmd.Start()
}

// pair makes the two ends between server and worker.
func pair() (ours *net.UnixConn, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	mine := os.NewFile(uintptr(fds[0]), "worker")
	defer mine.Close()
	theirs = os.NewFile(uintptr(fds[1]), "server")
	conn, err := net.FileConn(mine)
	if err != nil {
		_ = theirs.Close()
		return nil, nil, err
	}
	return conn.(*net.UnixConn), theirs, nil
}

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
