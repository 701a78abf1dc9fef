package operate

import (
	"net/netip"
	"time"

	"sandlot"
	"sandlot/internal/base/meter"
)

// Limits of the rule by which reports hold a project.
const (
	HoldNetworks   = 3                   // that reported it within HoldWithin
	HoldWithin     = 24 * time.Hour      // a weekend's reports of one page come within hours
	HoldUnproved   = 30 * 24 * time.Hour // an account that verified its address earlier is not held by reports
	HoldsPerHour   = 20                  // of an installation: more at once are an attack by reports
	HoldReminded   = 72 * time.Hour      // then the operator is reminded of it, once
	Immunity       = 30 * 24 * time.Hour // after a person has reinstated a project
	ReportMailWait = time.Hour           // between two messages about reports of one project
)

// dangerous returns the reasons of the reports that hold a project.
func dangerous() []string { return []string{"deceptive", "malware"} }

// Filing holds the effects of the step that records a new report.
type Filing struct {
	Form sandlot.Digest // of the report: one form is one report
	// Mail is a message to the operator; nil: none. Only one is under way for a project, and it is due ReportMailWait
	// after the one before, or at once.
	Mail *sandlot.Job
	Hold *HoldRule // nil: the report holds nothing
}

// A HoldRule holds the project of a report back from others when open reports of it with one of Reasons came from
// Networks since Since. It does not hold a project that is suspended, held or immune, nor one of an account that is
// trusted, or verified its address before Verified, nor more than PerHour projects of the installation within an hour.
// Owner is a message to the verified address of the account; the others are to the operator, and nil if there is none.
type HoldRule struct {
	Networks, PerHour        int
	Reasons                  []string
	Since, Verified          time.Time
	Entry                    sandlot.LogEntry
	Owner, Operator, Waiting *sandlot.Job
}

// Filed is a report that AddReport recorded, or found.
type Filed struct {
	Number    string
	New, Held bool // whether it was recorded, and whether it held its project
}

// holdRule returns the rule for a report.
func (s *Service) holdRule(lang string, from sandlot.Sender, r Report) *HoldRule {
	return &HoldRule{
		Networks: HoldNetworks, PerHour: HoldsPerHour, Reasons: dangerous(), Since: r.At.Add(-HoldWithin), Verified: r.At.Add(-HoldUnproved),
		Entry: sandlot.LogEntry{
			At: r.At, Actor: sandlot.ActorRule, Action: sandlot.ActionHold, Target: string(r.Project),
			Reason: "reports from several networks within a day",
		},
		Owner:    &sandlot.Job{Kind: sandlot.MailHeld, Due: r.At, Asker: sandlot.Asker{Kind: sandlot.AskedWithKey}},
		Operator: s.toOperator(sandlot.MailHeld, lang, from, r.At),
		Waiting:  s.toOperator(sandlot.MailWaiting, lang, from, r.At.Add(HoldReminded)),
	}
}

// networkOf returns the network of a sender as reports of one project compare it: the /24 of an IPv4 address, the /48 of
// an IPv6 one. All senders whose network proves nothing have the same.
func networkOf(from sandlot.Sender) string {
	prefix, err := netip.ParsePrefix(from.Network)
	addr := prefix.Addr()
	if err != nil {
		addr, err = netip.ParseAddr(from.Network)
	}
	if err != nil || from.Shared {
		return "unknown"
	}
	bits := 48
	if addr = addr.Unmap().WithZone(""); addr.Is4() {
		bits = 24
	}
	wide, _ := addr.Prefix(bits) // no address is shorter
	return wide.String()
}

// ReportMeters count the reports that this process recorded, and the projects that they held.
type ReportMeters struct {
	Reports *meter.Counts[Via]
	Held    *meter.Counts[sandlot.Rule]
}

// NewReportMeters returns meters at zero.
func NewReportMeters() *ReportMeters {
	return &ReportMeters{meter.NewCounts(ViaForm, ViaMail, ViaAPI), meter.NewCounts(sandlot.HeldReports)}
}

func (m *ReportMeters) count(via Via, f Filed) {
	if m != nil && f.New {
		m.Reports.Add(via)
	}
	if m != nil && f.Held {
		m.Held.Add(sandlot.HeldReports)
	}
}
