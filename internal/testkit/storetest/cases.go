package storetest

import "testing"

func publishCases() []storeCase {
	return []storeCase{
		{"CreateAccount/200 at once with one handle get 200 handles", handleRace},
		{"By/one that is revoked is ErrRevoked, and one of a suspended account ErrSuspended", byRevoked},
		{"Secret/returns the installation's secret of that name, fresh the first time and then the same", secret},
		{"MintKey, RotateKey/a record that is there already is ErrAlreadyDone", formTwice},
		{
			"Ping/returns nil while reads and writes can be expected to work",
			func(t *testing.T, s Stores) { ok(t, s.Publish.Ping(t.Context())) },
		},
		{"CreateProject/of many files is as of few", createMany},
		{
			"CreateProject/of many files that is refused has had no effect, and may be asked for again with the same bytes",
			createManyRefused,
		},
		{"CreateProject/files of one content have one record", createShared},
		{"CreateProject/later versions have what each drops and puts, and one that cannot be has had no effect", createHistory},
		{"Projects/returns an account's projects, newest change first", listProjects},
		{"PutFile/makes the version after at.Expect, in which the file of f's name is f and all others are as before", putFile},
		{"DeleteFile/makes the version after at.Expect, which lacks one file", deleteFile},
		{"Files/returns the files of a version by name, in byte order", filesInOrder},
		{"Files/with the variants made so far", filesVariants},
		{"FilesNear/returns the current file of that folded name, one that is a folder of it, and those that lie in it, at most ten", near},
		{"SetDetails/records a project's details, and makes no version", setDetails},
		{"Trash/to all other methods the project is one that is not there", trashHides},
		{"TakeBack/makes a project again what it was", takeBack},
		{"Purge/deletes for good what could be taken back, whose files are left to Sweep", purge},
		{"Sweep/deletes for good what was deleted long enough ago", sweepTrash},
		{"Sweep/leaves what was taken down to the operator, and Purge is ErrSuspended", keepTakenDown},
		{"RecoverProject/brings a project back that was deleted for good, with the versions of a backup", recoverDeleted},
		{"RecoverProject/adds a version to a project that is there or in the trash", recoverThere},
		{"RecoverProject/another account's is ErrMoved, an id that was never used ErrNotFound", recoverOthers},
		{"Rearrange/makes a version with what is dropped and put, and all else as before", rearrangeMany},
		{"Rearrange/does all that an Edit says in the same step", rearrangeAll},
		{"Rearrange/that is refused has had no effect, and may be asked for again with the same bytes", rearrangeRefused},
		{"SaveUpload/the generation must still be u.Generation, else ErrUploadMoved", saveMoved},
		{"SaveUpload/an expired upload does not exist", saveOverExpired},
		{"Completion/ErrUploadMoved unless the upload is open and still at Generation", completionMoved},
		{"IdempotencyRecord/returns the record of a step that was made under this key", readRecord},
		{"IdempotencyRecord/one that is past its ExpiresAt is ErrNotFound", recordExpires},
		{"IdempotencyRecord/a step under its Key is ErrAlreadyDone if there was one before, whatever else would fail", refuseAlreadyDone},
		{"IdempotencyRecord/one that has expired stands in nobody's way", expiredRecord},
		{"IdempotencyRecord/50 steps under one key have one effect", recordRace},
		{"AddTicket/or one of its Wider networks has", tooManyTicketsAround},
		{"Ticket/a step uses it up, and it is kept as long as the record", useTicket},
		{"Quota/projects at once have no more together", quotaAtOnce},
		{"ClaimSqueezing/keeps blobs from others for a while", claimSqueezingLapses},
		{"EndSqueezing/gives back nothing that somebody else has claimed since", lapsedSqueezing},
		{"PutVariants/a blob that is gone is ErrNotFound", putVariantsGone},
		{"Changes/grows with every commit after which something else is read of a project, and the step says of which", changesGrow},
		{"Changes/stays with plays and likes, and with what others do", changesStay},
		{"Lease/keeps a project to its caller, and Begin counts the tries", leaseCovers},
		{"Settle/if the lease is another one by now it is ErrMoved", settleLate},
		{"Settle/the pictures that it replaces are gone, and Sweep lets go of their bytes", settleAgain},
	}
}

func accountCases() []storeCase {
	return []storeCase{
		{"Login/one that is past its ExpiresAt is not there", expiredLogin},
		{"ProveLogin/marks the login that has both as proved, and forgets its token and code", proveLogin},
		{"TryLogin/otherwise it counts a try, and ends the login at the most-th", tryLoginWrong},
		{"TryLogin/of 20 at once no more than most are counted", tryLoginRace},
		{"LogIn/a session that its browser had ends", logInAgain},
		{"LogIn/a login that is over or not proved, and any other account, is ErrNotFound", logInRefused},
		{"OpenAccount/records an account that its identity enters; of 20 at once one does", openAccount},
		{"LinkIdentity/lets an identity enter an account that has verified the address, and no other", linkIdentity},
		{"AddSession/records a session under the hash of its token, and returns its ID", addSession},
		{"Session/one that has expired is ErrNotFound", expiredSession},
		{"Rename/of two at once to one handle one gets it", renameRace},
		{"TakeEmailBack/the address is the account's, and verified, and all sessions end", takeEmailBack},
		{"TakeOver/any other accounts are ErrNotFound, and suspended ones ErrSuspended", takeOverOthers},
		{"Stops/returns stops, newest first, at most limit, after the skip newest, or of one mailbox", listStops},
		{"ClaimJobs/those that need not wait for what is busy", claimBusy},
		{"ClaimJobs/logins come first, and among equals what is due first", claimOrder},
		{"ClaimJobs/keeps others from them until the time given", claimKeeps},
		{"ClaimJobs/of 20 at once each job goes to one", claimRace},
		{"FinishJob/its message counts at that time if it was sent, and else no more", finishCounts},
		{"FinishJob, RetryJob/one that was not sent and that somebody else has claimed since is ErrNotFound", lapsedJob},
		{"CountMail/counts the message of a job once, in all of the shares or in none, and what is after since", countMail},
		{"CountMail/of 20 at once a share gets no more than it may", countMailRace},
	}
}

func galleryCases() []storeCase {
	return []storeCase{
		{"Relisted/those that changed since they were made, the highest Relisting first", relisted},
		{"Listed/those that have a tag", listedTagged},
		{"Like/fifty at once count once", likeAtOnce},
		{"Like/a new one counts in the project's Likes if counted is set", likeUncounted},
		{"AddCounts/a Batch that was added already adds nothing, whatever others were added since", addCountsTwice},
		{"AddCounts/many nodes that have the same loads count each once", addLoadsAtOnce},
		{"AddCounts/figures add up to the counts, whatever was played where", addFiguresAtRandom},
		{"Sweep/forgets figures of days that began 401 days ago or earlier, and keeps those of versions", sweepFigures},
	}
}

func operateCases() []storeCase {
	return []storeCase{
		{"ListProjects/returns projects, oldest first", listAllProjects},
		{"AddInvitation/records it with its entry; a token that is there already is ErrExists", addInvitation},
		{"Joining/uses the invitation up, and the account has its limit; used, ended and expired ones are ErrNotFound", joining},
		{"Joining/of 20 at once one opens an account", joinRace},
		{"Invitations/Sweep forgets them InvitationsKept after their end, and no others", forgetInvitations},
		{"SetRole/sets the role of an account, with its entry; the one that it has is ErrExists", setRole},
		{"Feature/pins one project, which is shown while it may be listed", feature},
		{"Remove/deletes an account with its projects, whose handle is not used again", removeAccount},
		{"Remove/details and contact go from reports that give an address which it had proved, and no other account has", removeReported},
		{"AddReport/of 20 at once by one form one is recorded", addReportRace},
		{"Sweep/takes details and contact out of reports that were closed before ReportKept, and of no others", emptyReports},
		{"Sweep/keeps what a file of any version, a part of an open upload or a variant refers to", sweepKeeps},
		{"Sweep/the ID of a blob that was forgotten is not used again", sweepNewIDs},
		{"Trim/a step changes at most limit records, and what is left comes later", trimSteps},
		{"GiveBack/returns room to the disk until there is no more to return, and keeps some", giveBack},
		{"LeaseWork/keeps the work to its caller for that long", leaseWork},
		{"Record/keeps the last run of each kind, and when one last found no damage", recordRuns},
		{"Totals/counts accounts and projects by their state, each once", totalStates},
		{"Totals/counts the bytes of all blobs, and the acts of operators", totalBytes},
		{"Totals/counts what waits, and since when", totalBacklogs},
	}
}

func trialCases() []storeCase {
	return []storeCase{
		{"ClaimTrial/RegressionM31 accounts take turns", claimTurns},
		{"ClaimTrial/for as long as it says", claimLapses},
		{"CountTrial/counts up to a number for an account and day, with those that were claimed", countsTrials},
		{"Trials/of several projects at once", trialsOfSeveral},
		{"Trials/a held project comes last", trialsOfHeld},
		{"Trials/EndTrialHeld holds a current version of an unverified account", trialsThatHold},
	}
}
