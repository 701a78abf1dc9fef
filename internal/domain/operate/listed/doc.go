// Package listed looks whether other services list our hosts as harmful.
package listed
