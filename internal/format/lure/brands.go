package lure

import (
	_ "embed"
	"fmt"
	"strings"
	"unicode/utf8"
)

//go:embed brands.txt
var builtIn string

// Brands are names that a title may resemble. A nil Brands has none. It never changes, and may be used concurrently.
type Brands struct {
	common  map[string]bool // by skeleton: whether the name is also a common word
	longest int             // bytes of the longest skeleton
}

// BuiltIn returns the names that come with the program.
func BuiltIn() *Brands {
	b, err := ParseBrands(builtIn)
	if err != nil {
		panic(err) // a test reads it
	}
	return b
}

// mostBrands is the most names of a list.
const mostBrands = 100_000

// ParseBrands reads a list of names, one a line; a # begins a comment, and ~ a name that is also a common word. The error
// of a line that is no name has its number.
func ParseBrands(list string) (*Brands, error) {
	b := &Brands{common: map[string]bool{}}
	n := 0
	for line := range strings.Lines(list) {
		n++
		name, _, _ := strings.Cut(line, "#")
		name = strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))
		if name == "" {
			continue
		}
		word, common := strings.CutPrefix(name, "~")
		whole := strings.Join(skeletons(word), "")
		switch {
		case !utf8.ValidString(line):
			return nil, fmt.Errorf("line %d is not UTF-8", n)
		case len(word) > 64:
			return nil, fmt.Errorf("line %d is longer than a name: %d bytes, at most 64", n, len(word))
		case utf8.RuneCountInString(whole) < 2:
			return nil, fmt.Errorf("line %d has no name of two letters or more: %q", n, name)
		case len(b.common) == mostBrands:
			return nil, fmt.Errorf("line %d is one name too many: at most %d", n, mostBrands)
		}
		b.common[whole] = common
		b.longest = max(b.longest, len(whole))
	}
	return b, nil
}

// Resemble reports whether a title has a name of the list, also where other letters, digits, spaces or invisible characters
// disguise it. A name that is also a common word counts where a word such as login stands beside it.
func (b *Brands) Resemble(title string) bool {
	if b == nil {
		return false
	}
	words := skeletons(title)
	for i := range words {
		whole := ""
		for j := i; j < len(words) && len(whole) <= b.longest; j++ {
			whole += words[j]
			if common, ok := b.common[whole]; ok && (!common || beside(words, i, j)) {
				return true
			}
		}
		if b.within(words[i]) {
			return true
		}
	}
	return false
}

// within reports whether a word is a name grown together with a bait, or holds a name in a script without spaces.
func (b *Brands) within(word string) bool {
	for i := 2; i < len(word)-1; i++ {
		if _, ok := b.common[word[:i]]; ok && (baits[word[i:]] || baits[word[i-1:]]) { // a letter that both have is there once
			return true
		}
		if _, ok := b.common[word[i:]]; ok && baits[word[:i]] {
			return true
		}
	}
	if word == "" || word[0] < utf8.RuneSelf {
		return false
	}
	for i := range word {
		for j := i + 6; j <= len(word); j++ { // two characters or more
			if common, ok := b.common[word[i:j]]; ok && !common {
				return true
			}
		}
	}
	return false
}

// beside reports whether a bait stands before or behind the words i to j, with one small word between at most.
func beside(words []string, i, j int) bool {
	near := func(at, step int) bool {
		if at >= 0 && at < len(words) && small[words[at]] {
			at += step
		}
		if at >= 0 && at < len(words) && small[words[at]] {
			at += step
		}
		return at >= 0 && at < len(words) && baits[words[at]]
	}
	return near(i-1, -1) || near(j+1, 1)
}

// set returns the skeletons of words.
func set(list string) map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(list) {
		words[strings.Join(skeletons(w), "")] = true
	}
	return words
}

// baits are the words beside which a common word is the name of a brand, small those that may stand between. They never change.
var (
	baits = set(`login logon signin account accounts support verify verification verified secure security bank banking pay payment
		payments parcel package packages delivery shipment webmail mailbox wallet wallets id billing invoice refund unlock unlocked suspended recovery recover password helpdesk
		authentication airdrop giveaway giftcard konto anmelden anmeldung einloggen sicherheit zahlung rechnung kundenservice paket sendung lieferung
		compte connexion connecter sécurité paiement facture remboursement colis livraison cuenta acceso entrar sesión pago seguridad factura reembolso paquete envío conta
		pagamento segurança fatura reembolso encomenda entrega accesso sicurezza rimborso аккаунт вход оплата ログイン アカウント 登录 账户 账号 包裹 配達 サポート`)
	small = set(`to in into on for with my your you our online app com www zu bei mit ihr ihre dein deine votre mon ma
		le la de du su tu mi el sua seu meu minha o e`)
)
