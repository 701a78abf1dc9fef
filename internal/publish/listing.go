package publish

// listingWarnings tell the owner of a project that nobody finds it yet, and what ends
// that.
func (s *Service) listingWarnings(p Project) []Warning {
	if !s.Public || p.Verified || p.Suspended || p.Unlisted {
		return nil
	}
	return []Warning{{
		"not_listed", "The project is at its address, but not yet in the gallery or on its creator's profile: nobody has verified the email address of its account.",
		"Opening the link in the message to that address, and pressing its button, lists all projects of the account. Without the message, send email with the account's api_key, or log in on the website.",
	}}
}
