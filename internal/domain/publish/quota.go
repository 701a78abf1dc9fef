package publish

import (
	"errors"
	"net/netip"
	"time"

	"sandlot"
)

// Quota bounds the projects and bytes of an account. A zero is no bound. A bound below the present use takes nothing
// away: it refuses every addition.
type Quota struct {
	Projects int   // that are not deleted
	Bytes    int64 // of the files of all their versions and the parts of open uploads, each as often as it was sent
}

// admitNew decides whether a new project, or an account for nobody, may be made.
func (s *Service) admitNew(by sandlot.Caller) error {
	switch {
	case s.Opening == sandlot.Closed:
		return sandlot.Refuse(sandlot.CodePublishClosed, "This instance accepts no new projects or accounts.").With(sandlot.OpWait).
			Note("Projects that are there can still be changed with update and their key. For a new one use another instance, or ask the operator.")
	case s.Opening == sandlot.OpenToKeys && by.Nobody():
		return sandlot.Refuse(sandlot.CodePublishClosed, "Publishing here needs a key; this instance has no open signup.").With(sandlot.OpPresentKey).
			Note("The operator gives accounts out.")
	}
	return nil
}

// exceeded explains which quota of an account a step exceeds.
func (q Quota) exceeded(err error) error {
	var e *sandlot.Error
	switch {
	case errors.Is(err, sandlot.ErrTooManyProjects):
		e = sandlot.Refuse(sandlot.CodeQuotaExceeded, "The account has %d projects, which is the limit.", q.Projects).Detail("limit", q.Projects).With(sandlot.OpWhoami).
			Note("Change a project that is there with update instead of publishing a new one.")
	case errors.Is(err, sandlot.ErrTooManyBytes):
		e = sandlot.Refuse(sandlot.CodeQuotaExceeded, "The account's files would have more than %d bytes together, which is the limit. Earlier versions count, and so do the parts of unfinished uploads, and deleted projects until they are gone for good.", q.Bytes).
			Detail("limit", q.Bytes).With(sandlot.OpWait).Note("Make the file smaller, delete projects for good on the page of the account, finish uploads that are open or wait until they expire, or ask the operator for more room.")
	default:
		return err
	}
	// Nothing frees a quota by itself; this is for clients that wait without reading.
	return e.Because(err).After(time.Hour)
}

// A Network is one of the networks that an address belongs to. Its Share is the multiple of the narrowest network's
// limits that it may use.
type Network struct {
	Prefix netip.Prefix
	Share  int
}

// widerShares are the Shares of a /56 and a /48.
var widerShares = [2]int{4, 16}

// Networks returns the networks of an address that have limits, narrowest first: an IPv4 address, or the /64 of an IPv6
// address, and its /56 and /48, because one customer may have all of it. An IPv4 address inside an IPv6 one counts as
// itself.
func Networks(a netip.Addr) []Network {
	a = a.Unmap().WithZone("")
	if !a.Is6() {
		return []Network{{netip.PrefixFrom(a, a.BitLen()), 1}}
	}
	list := []Network{{Share: 1}, {Share: widerShares[0]}, {Share: widerShares[1]}}
	for i, bits := range [...]int{64, 56, 48} {
		list[i].Prefix = netip.PrefixFrom(a, bits).Masked()
	}
	return list
}
