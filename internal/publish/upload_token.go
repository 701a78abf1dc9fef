package publish

import (
	"strings"
)

// An upload_token joins an upload that was begun without a key, from any network.
// It has the shape of a key. Its hash is kept, and the token itself sealed under
// the upload_id, so that every answer to a part can show it.
const uploadTokenPrefix = "slu_"

// uploadToken is the purpose that tokens are sealed for.
const uploadToken = "upload token"

func isUploadToken(s Secret) bool { return strings.HasPrefix(s.Reveal(), uploadTokenPrefix) }

// bare reports whether nothing but the network tells who the caller is.
func (c Caller) bare() bool { return c.Nobody() && c.upload == nil }

// checkToken refuses an upload_token where there is no upload to join.
func checkToken(by Caller, part *PartInput) error {
	if by.upload == nil || part != nil {
		return nil
	}
	return Refuse(CodeInvalidKey, "The key that was sent is an upload_token: it joins its upload, and this call is no part of one.").
		With(OpPresentKey).Note("Send upload_id and part or total_parts with it. Another call needs an api_key (sla_...), or, for a first publish, none.")
}

// giveToken draws the token of a new upload that nobody's key belongs to.
func (s *Service) giveToken(call *partCall, u *Upload) error {
	if !call.by.Nobody() {
		return nil
	}
	token, err := mint(uploadTokenPrefix, s.random)
	if err != nil {
		return err
	}
	u.Token, call.token = token.Hash(), token
	call.meta.Token, err = s.vault.seal(call.tokenSeal(), []byte(token.Reveal()))
	return err
}

// readToken finds out the token of the call's upload, for the answer. It fails for a
// call that presents the token of an upload of another upload_id.
func (s *Service) readToken(call *partCall, u Upload) error {
	if !call.by.Nobody() {
		return nil
	}
	m, err := u.said()
	if err != nil {
		return err
	}
	token, err := s.vault.unseal(call.tokenSeal(), m.Token)
	if err != nil {
		return Refuse(CodeInvalidKey, "The upload_token is that of an upload with another upload_id.").In("upload_id").
			With(OpWait).Note("Send the upload_id of the part 1 whose answer had this upload_token.")
	}
	call.token = Secret(token)
	return nil
}

func (call *partCall) tokenSeal() sealed {
	return sealed{what: uploadToken, secret: call.in.UploadID, of: call.key}
}
