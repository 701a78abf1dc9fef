package inspect

import (
	"strings"

	"sandlot/internal/format/names"
)

// LooksLikeUploadToken reports whether s has the form and the checksum of an upload_token.
func LooksLikeUploadToken(s string) bool { return looksLike(s, names.UploadPrefix) }

// LooksLikeTicket reports whether s has the form and the checksum of a ticket.
func LooksLikeTicket(s string) bool { return looksLike(s, names.TicketPrefix) }

// LooksLikeEditToken reports whether s has the form and the checksum of an edit_token.
func LooksLikeEditToken(s string) bool { return looksLike(s, names.EditPrefix) }

// LooksLikeConnectCode reports whether s has the form and the checksum of a code of a connect_url.
func LooksLikeConnectCode(s string) bool { return looksLike(s, names.ConnectPrefix) }

// LooksLikeAccessToken reports whether s has the form and the checksum of an access token.
func LooksLikeAccessToken(s string) bool { return looksLike(s, names.AccessPrefix) }

// LooksLikeRefreshToken reports whether s has the form and the checksum of a refresh token.
func LooksLikeRefreshToken(s string) bool { return looksLike(s, names.RefreshPrefix) }

// LooksLikeDeviceCode reports whether s has the form and the checksum of a device_code.
func LooksLikeDeviceCode(s string) bool { return looksLike(s, names.DevicePrefix) }

// LooksLikeKey reports whether s has the form and the checksum of a key. It queries no store, so a mistyped key costs
// no look-up.
func LooksLikeKey(s string) bool {
	return looksLike(s, names.AccountPrefix) || looksLike(s, names.ProjectPrefix)
}

func looksLike(s, prefix string) bool {
	return len(s) == keySize && strings.HasPrefix(s, prefix) && names.KeyChecksum(s[:keySize-names.KeySum]) == s[keySize-names.KeySum:]
}
