package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"
)

// Reachable is the check of a server on which the service depends. try uses it once; does describes that use, and mend
// the remedy after an error.
func Reachable(name string, try func(context.Context) error, does, mend string) Check {
	return Check{name, func(ctx context.Context) []Finding {
		if err := try(ctx); err != nil {
			return []Finding{bad(oneLine(err), mend)}
		}
		return []Finding{good(does)}
	}}
}

// Absent is a check with nothing to look at, or a setting that is missing.
func Absent(name, why string) Check {
	return Check{name, func(context.Context) []Finding { return []Finding{skipped(why)} }}
}

// Failed is the check of a part that could not even be opened.
func Failed(name string, err error, mend string) Check {
	return Reachable(name, func(context.Context) error { return err }, "", mend)
}

// Warnings is a check with a finding for each sentence about the settings.
func Warnings(sentences []string) Check {
	return Check{"settings", func(context.Context) (all []Finding) {
		for _, s := range sentences {
			detail, mend, _ := strings.Cut(s, ": ")
			all = append(all, warn(detail, mend))
		}
		if len(all) == 0 {
			all = append(all, good("nothing in the settings looks like a mistake"))
		}
		return all
	}}
}

// The differences of two clocks that matter: links and proofs live for minutes, and nodes compare times.
const (
	skewWarn = 2 * time.Second
	skewMend = 30 * time.Second
)

// Clock compares the clock of the database, as read by there, with this machine's.
func Clock(there, here func() time.Time) Check {
	return Check{"clock", func(context.Context) []Finding {
		skew := there().Sub(here()).Round(time.Millisecond)
		detail := fmt.Sprintf("the clock of the database is %v from that of this machine", skew)
		const mend = "Run a time service on both machines, such as systemd-timesyncd or chrony."
		switch {
		case skew.Abs() >= skewMend:
			return []Finding{bad(detail, mend)}
		case skew.Abs() >= skewWarn:
			return []Finding{warn(detail, mend)}
		}
		return []Finding{good(detail)}
	}}
}

// near is how close to its limit a disk gives a warning, in percent.
const near = 10

// Disk judges how full the disk of a folder is, in percent; limit is where the service takes nothing new.
func Disk(folder string, used func() (percent int, free uint64, ok bool), limit int) Check {
	return Check{"disk", func(context.Context) []Finding {
		percent, free, ok := used()
		detail := fmt.Sprintf("the disk of %s is %d %% full, %d MiB are free, and nothing new is taken from %d %% on", folder, percent, free>>20, limit)
		mend := "Make room, or use a larger disk: sandlot admin list accounts shows who uses how much."
		switch {
		case !ok:
			return []Finding{skipped("the system does not say how full the disk of " + folder + " is")}
		case percent >= limit:
			return []Finding{bad(detail, mend)}
		case percent >= limit-near:
			return []Finding{warn(detail, mend)}
		}
		return []Finding{good(detail)}
	}}
}

// Folder checks that the data folder can be written, and read by no other user.
func Folder(folder string) Check {
	return Check{"folder", func(context.Context) []Finding {
		info, err := os.Stat(folder)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return []Finding{bad(folder+" does not exist", "Name the folder of the service with --data.")}
		case err != nil:
			return []Finding{bad(oneLine(err), "Run this as the user of the service.")}
		}
		if err := writable(folder); err != nil {
			return []Finding{bad(folder+" cannot be written: "+oneLine(err), "Run this as the user of the service, and give it the folder: chown -R USER "+folder)}
		}
		if info.Mode().Perm()&0o007 != 0 {
			return []Finding{bad(folder+" can be read by other users of this machine: it holds addresses and hashes of keys", "chmod 700 "+folder)}
		}
		return []Finding{good(folder + " belongs to the service alone")}
	}}
}

// writable writes a small file, and removes it.
func writable(folder string) error {
	f, err := os.CreateTemp(folder, ".doctor-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("doctor\n")
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// Suffix reports whether browsers know that the content host is shared by strangers, by the list that is compiled in.
func Suffix(content string) Check {
	return Check{"suffix", func(context.Context) []Finding {
		if suffix, _ := publicsuffix.PublicSuffix(hostname(content)); suffix == hostname(content) {
			return []Finding{good(fmt.Sprintf("%s is on the Public Suffix List of %s", suffix, listed()))}
		}
		return []Finding{warn(fmt.Sprintf("%s is not on the Public Suffix List of %s, so a project can set cookies for all others", hostname(content), listed()),
			"Ask for it at https://publicsuffix.org/submit/; it takes weeks.")}
	}}
}

// listed returns the date of the list.
func listed() string {
	_, rest, _ := strings.Cut(publicsuffix.List.String(), "(")
	date, _, _ := strings.Cut(rest, "T")
	return date
}

// oneLine returns an error in one line.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
