package api

import (
	"sandlot"
	"sandlot/internal/transport/intake"
)

// told holds the status and the description of a code.
type told struct {
	status int
	about  string // one line for the documentation
}

// codes is the table of all codes. A test compares it with the domain's and with the documents. It never changes.
var codes = map[sandlot.Code]told{
	sandlot.CodeInvalidJSON:          {400, "the body is not one well-formed JSON object (or form) within the limits"},
	sandlot.CodeInvalidField:         {400, "a field has the wrong type or a value that is not allowed"},
	sandlot.CodeMissingField:         {400, "a required field is missing"},
	sandlot.CodeEmailRequired:        {400, "a first publish without a key needs an email"},
	sandlot.CodeInvalidEmail:         {400, "the email is not one plain address, or a placeholder of one"},
	sandlot.CodeInvalidContent:       {400, "content is not the base64 or gzip it should be"},
	sandlot.CodeInvalidFilename:      {400, "the filename cannot be used"},
	sandlot.CodeProjectIDRequired:    {400, "project_id is empty, or is missing with a project key"},
	sandlot.CodeKeyNotInHeader:       {400, "a key was sent outside the Authorization header; rotate it"},
	sandlot.CodeKeyRequired:          {401, "the call needs a key"},
	sandlot.CodeInvalidKey:           {401, "the key is mistyped, unknown or revoked"},
	sandlot.CodeWrongProject:         {403, "the key does not cover this project"},
	sandlot.CodeAccountKeyRequired:   {403, "a project key cannot publish a new project"},
	sandlot.CodeAccountSuspended:     {403, "the operator has suspended the account; it can still read and export"},
	sandlot.CodePublishClosed:        {403, "this instance takes no new projects, or none without a key"},
	sandlot.CodeProjectNotFound:      {404, "there is no such project"},
	sandlot.CodeFileNotFound:         {404, "the project has no such file"},
	sandlot.CodeNoProjects:           {404, "the account has no project yet"},
	sandlot.CodeVersionNotFound:      {404, "the project has no such version, or no longer; the hint lists those that are there"},
	sandlot.CodeNotFound:             {404, "there is no such path"},
	sandlot.CodeMethodNotAllowed:     {405, "the path does not support this method"},
	sandlot.CodeUploadCompleted:      {409, "the upload is already complete; the response names its project"},
	sandlot.CodeUploadExists:         {409, "an upload with this id is in progress; choose another id"},
	sandlot.CodeRequestInProgress:    {409, "the same request is still in progress"},
	sandlot.CodeReplayedElsewhere:    {409, "the same request was made from another network; its keys are not shown again"},
	sandlot.CodeTicketUsed:           {409, "the ticket was used for other bytes; the response names what was made"},
	sandlot.CodeVersionConflict:      {412, "the project has a newer version; nothing changed"},
	sandlot.CodeContentTooLarge:      {413, "the content is larger than the limit"},
	sandlot.CodeUnsupportedMediaType: {415, "the body has an unsupported type or encoding"},
	sandlot.CodePrimaryFileProtected: {422, "index.html and the primary file cannot be deleted"},
	sandlot.CodePart1First:           {422, "part 1 of the upload has not been accepted"},
	sandlot.CodePartOutOfRange:       {422, "the part is above total_parts, or total_parts was changed"},
	sandlot.CodeFilenameConflict:     {422, "the name clashes with another file (as a folder, or in another case)"},
	sandlot.CodeDoubleEncoded:        {422, "the HTML file is still encoded"},
	sandlot.CodeDigestMismatch:       {422, "the bytes that arrived do not have the declared size or sha256"},
	sandlot.CodeLooksDamaged:         {422, "a file of an update looks damaged (a diff, Markdown fences, words around it); force takes it"},
	sandlot.CodeKeyInContent:         {422, "a text file holds one of the service's own keys"},
	sandlot.CodeIdempotencyMismatch:  {422, "the Idempotency-Key was already used for a different request"},
	sandlot.CodeNoPrimaryFile:        {422, "none of the files is a page to open first; the response lists those that could be"},
	sandlot.CodeInvalidArchive:       {422, "the archive cannot be unpacked as a project; the message names the entry"},
	sandlot.CodeRateLimited:          {429, "too many requests; retry after Retry-After"},
	sandlot.CodeQuotaExceeded:        {429, "a quota is used up"},
	sandlot.CodeTakenDown:            {451, "the operator has taken the project down"},
	sandlot.CodeInternal:             {500, "a fault of the service"},
	sandlot.CodeBlobCorrupt:          {500, "the stored bytes of this file are damaged"},
	sandlot.CodeUnavailable:          {503, "the service cannot do this now"},
	sandlot.CodeStorageFull:          {507, "the disk of the service is full; nothing was changed"},
}

// argumentHeaders maps the arguments of an operation that come in a header to that header's name. It never changes.
var argumentHeaders = map[string]string{intake.IdempotencyArgument: intake.IdempotencyKey}
