package browser

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Stages of a worker process. The first has yet to furnish its namespaces; the second has no capabilities any more, and
// starts the browser.
const (
	StageRoom = "room"
	StagePage = "page"
)

// control is the descriptor of the socket to the server's process.
const control = 3

// Limits of the files that a trial writes to memory that looks like a disk to it. All of it goes with the namespace.
const (
	roomBytes   = "size=16m,nr_inodes=1k,mode=755"
	tempBytes   = "size=96m,nr_inodes=16k,mode=1777"
	sharedBytes = "size=256m,nr_inodes=4k,mode=1777"
)

// seen lists the files of the machine that can be read in the room: the browser with its libraries and fonts, and
// nothing that the service keeps. Missing ones are left out.
var seen = []string{
	"/usr/bin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/share", "/usr/local/share/fonts", "/bin", "/lib", "/lib32", "/lib64",
	"/opt/google", "/etc/alternatives", "/etc/chromium", "/etc/chromium.d", "/etc/fonts",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/var/cache/fontconfig", "/nix/store",
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
}

// Shows reports whether a browser may read anything of that folder, which need not exist yet.
func Shows(folder string) bool {
	folder = resolved(folder)
	for _, name := range seen {
		if at := resolved(name); within(at, folder) || within(folder, at) {
			return true
		}
	}
	return false
}

// resolved returns the target of a path, as far as it exists.
func resolved(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if above := filepath.Dir(path); above != path {
		return filepath.Join(resolved(above), filepath.Base(path))
	}
	return path
}

// within reports whether a path is the folder itself or lies in it.
func within(folder, path string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

// Work runs the worker's process, in one of its stages.
func Work(ctx context.Context, stage string) error {
	switch stage {
	case StageRoom:
		return furnish()
	case StagePage:
		return browse(ctx)
	}
	return fmt.Errorf("there is no stage %q", stage)
}

// furnish makes the namespaces a room from which nothing of the machine can be reached, drops all capabilities, and
// becomes the next stage.
func furnish() error {
	runtime.LockOSThread() // capabilities belong to threads, and exec keeps those of this one
	if os.Getpid() != 1 {
		return errors.New("this command is run by the server alone")
	}
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"bring the loopback interface up", loopbackUp},
		{"give it a file system of its own", newRoot},
		{"limit it", limit},
		{"let go of capabilities", unarm},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return syscall.Exec("/proc/self/exe", []string{"sandlot", "playtest-worker", StagePage}, environment)
}

// environment is the whole environment of the browser.
var environment = []string{"HOME=/tmp", "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "TZ=UTC", "GOMEMLIMIT=96MiB"}

func loopbackUp() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, lo)
}

// newRoot makes a file system of the few folders that a browser reads, and of memory to write to, and removes all
// others.
func newRoot() error {
	const root = "/tmp"
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := unix.Mount("room", root, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, roomBytes); err != nil {
		return err
	}
	for _, name := range seen {
		if err := show(name, root+name); err != nil {
			return fmt.Errorf("show %s: %w", name, err)
		}
	}
	for _, m := range []struct{ at, kind, options string }{
		{"/tmp", "tmpfs", tempBytes}, {"/dev/shm", "tmpfs", sharedBytes}, {"/proc", "proc", ""},
	} {
		if err := os.MkdirAll(root+m.at, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(m.kind, root+m.at, m.kind, unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, m.options); err != nil {
			return fmt.Errorf("mount %s: %w", m.at, err)
		}
	}
	if err := unix.Mount("", root, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, ""); err != nil {
		return err
	}
	return enter(root)
}

// show mounts a folder or file of the machine in the room, to be read.
func show(from, at string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, at)
	}
	if info.IsDir() {
		err = os.Mkdir(at, 0o755)
	} else {
		err = os.WriteFile(at, nil, 0o644)
	}
	if err != nil {
		return err
	}
	if err := unix.Mount(from, at, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	if info.Mode()&os.ModeDevice != 0 {
		return nil
	}
	attributes := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}
	return unix.MountSetattr(unix.AT_FDCWD, at, unix.AT_RECURSIVE, &attributes)
}

// enter makes a folder the root, and removes the former one.
func enter(root string) error {
	if err := unix.Chdir(root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return err
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return err
	}
	return unix.Chdir("/tmp")
}

// limit bounds the resources of the processes. Memory is watched from outside: address space includes memory that
// Chromium reserves without using it.
func limit() error {
	for what, most := range map[int]uint64{
		unix.RLIMIT_NPROC: mostThreads, unix.RLIMIT_NOFILE: 4096, unix.RLIMIT_FSIZE: 256 << 20, unix.RLIMIT_CORE: 0,
	} {
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return err
		}
	}
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, 5)                          // players come first
	return os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0o600) // and this process is the first to go
}

// unarm drops all capabilities for good.
func unarm() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	none := [2]unix.CapUserData{}
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// browse opens a page in a browser and sends its report.
func browse(ctx context.Context) error {
	// The browser's processes are the same user's. They cannot look into this one, or change it.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return err
	}
	file := os.NewFile(control, "control")
	conn, err := net.FileConn(file)
	if err != nil {
		return err
	}
	_ = file.Close()
	defer conn.Close()
	if err := hand(conn.(*net.UnixConn)); err != nil {
		return err
	}
	return answer(ctx, conn)
}

// hand listens in this namespace, and gives the listener to the server's process, which answers the requests of the
// browser.
func hand(conn *net.UnixConn) error {
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: proxyPort})
	if err != nil {
		return err
	}
	defer l.Close()
	file, err := l.File()
	if err != nil {
		return err
	}
	defer file.Close()
	return handOver(conn, file)
}

// handOver reports that the worker is ready, and gives a listener away.
func handOver(conn *net.UnixConn, listener *os.File) error {
	_, _, err := conn.WriteMsgUnix([]byte{ready}, unix.UnixRights(int(listener.Fd())), nil)
	return err
}
