package check

import (
	"fmt"
	"strings"
)

// mostHosts is how many other hosts a finding names.
const mostHosts = 10

// hosts are the other hosts that a project loads from, each once.
type hosts struct {
	list []string // each with its place
	more int
}

// elsewhere judges a reference that leads out of the project.
func (f *finder) elsewhere(l *Look, r ref, t target) {
	own := f.Place.Own
	switch {
	case own != "" && (t.host == own || strings.HasSuffix(t.host, "."+own)), t.host == "www.w3.org":
	case t.scheme == "file":
		f.add(LocalAddress, "Send the file with the project, and write its name there.",
			"%s %s a file on the disk of whoever opens the page, who does not have it.", at(l, r.place), verbs[r.how])
	case ownMachine.MatchString(t.host):
		if f.first("local " + t.host) {
			f.add(LocalAddress,
				"A project has no server of its own: put what is needed into its files, or ask a server that all visitors reach.",
				"%s %s %s, which is the machine of whoever opens the page.", at(l, r.place), verbs[r.how], shown(t.host))
		}
	default:
		f.foreign(l, r, t)
	}
}

// foreign judges a reference to another host.
func (f *finder) foreign(l *Look, r ref, t target) {
	if f.Place.HTTPS && (t.scheme == "http" || t.scheme == "ws") && f.first("mixed "+t.host) {
		f.add(MixedContent, fmt.Sprintf("Write %ss:// there if the host has it, or send the file with the project.", t.scheme),
			"%s %s something from %s://%s, and browsers block that in a page that comes by https.",
			at(l, r.place), verbs[r.how], t.scheme, shown(t.host))
	}
	if !f.first("host "+t.host) || strings.Contains(f.Place.Told, t.host) {
		return
	}
	if len(f.hosts.list) == mostHosts {
		f.hosts.more++
		return
	}
	f.hosts.list = append(f.hosts.list, shown(t.host)+" ("+at(l, r.place)+")")
}

// report adds one finding that lists the hosts.
func (h *hosts) report(f *finder) {
	if len(h.list) == 0 {
		return
	}
	list := strings.Join(h.list, ", ")
	if h.more > 0 {
		list += fmt.Sprintf(" and %d more", h.more)
	}
	if f.Place.Blocked {
		f.add(OtherHosts,
			"Verify the e-mail address of its account, or send what is needed with update and load it from the project itself.",
			"The project needs other hosts, which its quarantine blocks: %s.", list)
		return
	}
	f.add(OtherHosts, "What is needed from them can also be sent with update and loaded from the project itself, "+
		"where it does not change or go away.",
		"The project needs other hosts: %s. It works while these answer and allow it.", list)
}
