package lure_test

import (
	"strings"
	"testing"

	"sandlot/internal/format/lure"
	"sandlot/internal/testkit/expect"
)

func TestATitleResemblesABrandInEachDisguise(t *testing.T) {
	b := lure.BuiltIn()
	for _, title := range []string{
		"PayPal", "paypal login", "Login to PayPal", "P A Y P A L", "Pay-Pal", "PаyPаl", "ΡayΡal", "ＰａｙＰａｌ", "paypa1", "PayPaI", "p4yp4l",
		"pay\u200bpal", "pay\u00adpal", "pàypál", "payypal", "PayPalLogin", "secure-paypal", "𝐏𝐚𝐲𝐏𝐚𝐥", "G00gle", "Micros0ft", "rnicrosoft", "Netfl1x",
		"Bank of America", "Bank 0f Arnerica", "WELLS FARGO online", "Apple ID", "apple account", "Verify your Apple account", "Log in: Amazon login",
		"Chase Bank", "Ledger wallet", "Ledger Live", "Steam-Support", "Sign in to Sky account", "Crédit Agricole", "credit agricole", "三井住友銀行ログイン",
		"DHL Paket", "Meta Mask", "TrustWallet", "Mercado Livre", "booking.com",
	} {
		if !b.Resemble(title) {
			t.Errorf("%q resembles no brand", title)
		}
	}
}

func TestAnHonestTitleResemblesNoBrand(t *testing.T) {
	b := lure.BuiltIn()
	for _, title := range []string{
		"", "Apple", "Orange", "Chase", "Target", "Square", "Apple Catcher", "Orange Squeeze", "Chase the cat", "Target practice", "Square dance",
		"Chase the bank robber", "Steam Train", "Steam Train Delivery", "Kraken Hunt", "Sky Hopper", "Zoom zoom", "Amazon River Raid", "The Office Maze",
		"Password Game", "Card Games", "Bank Heist", "Wallet Simulator", "Pay Day", "Discord of the Gods", "Phantom Manor", "Exodus", "Gemini Twins",
		"Mint Garden", "Telegram Operator 1910", "Signal Box", "Wise Owl", "Ups and Downs", "Snake", "2048", "Tetris 99", "Login Simulator", "Line Rider",
		"Ledger of Souls", "Post Office", "La Pomme", "Goggles", "Ein Spiel", "ゲーム", "消消乐", "Secure the Base", "Account of a Journey", "Support Hero",
		"Id and Ego", "Pineapple", "Visa pour Paris", "Hermes Run", "Elster im Nest", "A caixa", "Os correos", "Stripes",
	} {
		if b.Resemble(title) {
			t.Errorf("%q resembles a brand", title)
		}
	}
}

func TestTheListOfBrandsIsReadLineByLine(t *testing.T) {
	b, err := lure.ParseBrands("# ours\n\nAcme Bank # a bank\r\n~rocket\n")
	expect.OK(t, err)
	for title, want := range map[string]bool{"Acmebank": true, "acme b4nk 2": true, "rocket": false, "Rocket login": true, "PayPal": false, "Acme": false} {
		if b.Resemble(title) != want {
			t.Errorf("%q: resembles is %t", title, !want)
		}
	}
	for list, says := range map[string]string{
		"acme\n---\n": "line 2", "a": "line 1", "ok\n\xff\xfe": "line 2", "\n\n" + strings.Repeat("long", 20): "line 3", "~": "line 1",
	} {
		if _, err := lure.ParseBrands(list); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %s", list, err, says)
		}
	}
	if (*lure.Brands)(nil).Resemble("PayPal") {
		t.Error("no list has a name")
	}
}
