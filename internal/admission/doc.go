// Package admission decides what a caller may do now, before the domain is asked:
// it knows which address a request comes from, what each operation counts against,
// and what each address, account and key have left. Every transport stands above
// it: it names the operation of each of its routes, and asks in one place.
//
// It knows neither the network's protocols nor the rules of the service. All it keeps is
// in memory, within fixed bounds, and forgotten at a restart.
package admission
