// Package listed looks once a day whether services that browsers and mail servers ask list our hosts as harmful.
//
// Names of hosts are all that a service learns, and nothing is sent before the operator has set its key or its zone.
package listed
