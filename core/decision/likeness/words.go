package likeness

import "strings"

// filler reports whether a word is a stop word: it says nothing about the subject of a
// text.
func filler(w string) bool {
	switch w {
	case "a", "an", "the", "is", "are", "be", "been", "was", "we", "our", "us", "i", "you", "it", "its", "this", "that", "these", "those",
		"to", "of", "in", "on", "at", "for", "with", "by", "as", "from", "into", "onto", "through", "and", "or", "if", "then", "than", "so", "but",
		"use", "uses", "used", "using", "must", "should", "shall", "will", "would", "can", "may", "has", "have", "do", "does", "done", "being",
		"please", "always", "only", "all", "every", "each", "any", "everything", "just", "also", "via", "when", "where", "which", "who",
		"prefer", "preferred", "prefers", "favor", "favour", "go", "goes", "pick", "adopt", "choose", "take", "takes", "kept", "make", "made", "let", "lets", "let's",
		"want", "there", "them", "they", "their", "gets", "get", "instead", "rather", "needs", "need", "needed", "new", "project", "how", "what",
		"up", "out", "off", "about", "own", "such", "more", "most", "very", "well", "over", "against", "once", "ahead", "within", "one", "some",
		"larger", "bigger", "greater", "exceeding", "exceeds", "exceed", "beyond", "above",
		"¬", "available", "ensure", "sure", "stay", "stays", "live", "lives", "reside", "come", "comes", "happen", "happens", "belong", "belongs",
		"have to", "has to", "ever", "put", "given", "give", "around", "across", "between", "itself", "themselves", "lot", "way":
		return true
	}
	return false
}

// counts reports whether a word says how many there are of the next noun, and whether that
// is one.
func counts(w string) (one, counted bool) {
	switch w {
	case "one", "single", "same", "shared", "common":
		return true, true
	case "own", "separate", "several", "multiple", "many", "different", "various", "individual":
		return false, true
	}
	return false, false
}

// preposition reports whether a word ends the scope of "instead of".
func preposition(w string) bool {
	switch w {
	case "in", "on", "at", "for", "with", "when", "where", "if", "during", "as", "because", "so", "but":
		return true
	}
	return false
}

// verbal reports whether a word is an auxiliary or empty verb, which ends a noun phrase.
func verbal(w string) bool {
	switch w {
	case "is", "are", "be", "must", "should", "shall", "will", "may", "can", "cannot", "has", "have", "does", "do", "goes", "go", "uses", "use":
		return true
	}
	return false
}

// prefers reports whether a word turns a later "over" into "instead of".
func prefers(w string) bool {
	return strings.HasPrefix(w, "prefer") || strings.HasPrefix(w, "favo") || w == "choose" || w == "chose" || w == "chosen" || w == "pick" || w == "picked"
}

// denial reports whether a word negates a text.
func denial(w string) bool {
	switch w {
	case "no", "not", "never", "avoid", "don't", "dont", "doesn't", "mustn't", "shouldn't", "can't", "cannot", "won't", "nobody", "none", "nothing",
		"forbid", "forbids", "forbidden", "ban", "bans", "banned", "prohibit", "prohibited", "prohibits", "stop", "disallow", "disallowed",
		"disallows", "neither", "nor", "non", "refuse", "refuses", "refused", "reject", "rejects", "rejected", "deny", "denies", "denied",
		"decline", "declines", "declined", "isn't", "aren't", "drop", "abandon", "free", "omit", "skip":
		return true
	}
	return false
}

// excepts reports whether a word makes an exception: after a denial it cancels that.
func excepts(w string) bool {
	switch w {
	case "outside", "except", "unless":
		return true
	}
	return false
}

// common reports whether a stem occurs in so many decisions that it hardly distinguishes
// them.
func common(stem string) bool {
	switch stem {
	case "code", "file", "servic", "api", "test", "data", "default", "run", "add", "us", "user", "app", "applic", "system",
		"store", "set", "nam", "build", "main", "first", "serv", "server", "project", "modul", "follow", "primary", "prim", "primar", "chang", "version", "vers",
		"§time", "§size", "§share", "most", "least":
		return true
	}
	return false
}

// light reports whether a stem is a verb or noun that another wording may omit.
func light(stem string) bool {
	switch stem {
	case "keep", "per", "write", "writt", "written", "format", "form", "mood", "state", "handl", "support", "typ", "kind", "way", "cas", "level", "valu", "mean",
		"thing", "mode", "exact", "whol", "complet", "direct", "simpl", "clear", "explicit", "consist", "proper", "part", "amount", "number",
		"creat", "provid", "contain", "carry", "hold", "look", "start", "begin", "base", "bas", "inside", "current", "open", "group", "silent", "return", "send", "work",
		"touch", "reach", "occur", "exist", "appear", "apply", "involv", "perform", "remain", "becom", "turn", "describ", "concern", "affect", "caus", "straight":
		return true
	}
	return false
}

// synonyms are words that mean the same in decisions. The first represents the group.
var synonyms = []string{
	"database db databases datastore", "postgresql postgres pg psql", "javascript js ecmascript", "typescript ts", "kubernetes k8s kube",
	"repository repo repos", "environment env envs .env", "config configs configuration configurations settings setting configured configure",
	"authentication auth login logins authenticate authenticated authenticates signin", "dependencies deps dep dependency", "pr prs",
	"documentation docs doc documented docstring docstrings docblock", "mongodb mongo", "go-language golang", "python py", "timezone tz zone timezones",
	"function fn func functions method methods procedure subroutine", "directory dir folder folders directories",
	"library lib libs libraries package packages", "message msg", "throw raise throws raised thrown", "store persist save saved stored storage storing stores persisted saves keep-in",
	"merge merged merging merges land", "delete remove removed removes deleted deletes deletion erase erased purge purged discard discarded cleanup",
	"verify check checked checks validate validated validation validates verified", "display show shown shows render rendered renders displayed",
	"exported public", "developer dev developers engineer engineers programmer", "customer client customers", "email mail emails mails e-mail",
	"image images picture pictures img", "button buttons", "expire expires expired expiry expiration timeout timeouts ttl lifetime valid validity lapse",
	"limit limits limited limiting maximum max cap capped most upper", "least minimum min lower", "approval approvals approve approved approves sign-off reviewer reviewers review reviewed reviews",
	"plaintext cleartext", "previous prior earlier backward backwards", "bug bugs defect defects", "error errors failure failures exception exceptions fault faults", "fail fails failing failed red broken", "block blocks prevent prevents prevented",
	"start launch begin begins starts boot", "begin commence", "request requests call calls query queries", "retry retried retries retrying attempt attempts", "concurrent parallel concurrency parallelism",
	"above exceed exceeds exceeding exceeded beyond", "below under beneath", "alert alerts alarm alarms notify notification", "threshold trigger triggers",
	"secret secrets credential credentials", "credentials password passwords passphrase", "log logs logging logged logger", "record records", "ui interface gui", "frontend front-end",
	"variable variables var vars", "constant constants const", "argument arguments arg args parameter parameters param params", "thread threads",
	"semver semantic-version", "external vendor third-party", "artifact artifacts output outputs", "ci pipeline pipelines", "deploy deployment deployments deployed rollout release-to ship shipped ships",
	"release releases released", "commit commits committed committing checkin", "container containers", "schema schemas", "encrypt encrypted encryption encrypts cipher", "hash hashed hashes hashing",
	"color colour colors colours", "optimize optimise", "idempotent idempotence repeatable", "nullable null-able", "administrator admin admins", "moderator moderators",
	"folder-layout layout", "asynchronous async", "synchronous sync", "mutable mutate mutability", "format formatted formatting formatter", "lint linter linting linted", "activity active idle-free",
	"duration period interval", "spec specification", "internal private", "timestamp timestamps", "microservice microservices", "split break-up divide separate", "keep retain preserve maintain",
	"serve served serves serving deliver delivered", "cdn content-delivery", "fixed constant-value", "number numbers numeric", "text string strings", "account accounts", "close closed closing closes",
	"lazy lazily defer deferred", "frontend client-side", "own owns owned", "share shared shares sharing", "finish finishes complete completes", "speed fast faster performance",
	"timestamp time times datetime", "build built", "write wrote written emit emits", "send sent", "run ran execute", "choose chose chosen",
	"find found", "break broke broken", "hide hid hidden", "leave left", "pay paid", "draw drew drawn", "tell told", "bring brought", "freeze froze frozen",
	"latest last newest recent", "name names named naming", "kill terminate terminates terminated", "person people persons somebody someone anybody anyone", "index indices",
}

// near are words that often, but not always, mean the same. They count less than synonyms.
var near = []string{
	"deploy release publish", "talk communicate speak call", "rotate handover swap", "ticket issue story task", "night nightly",
	"host machine server node instance", "screen page view", "endpoint route api url handler", "request call", "response reply answer", "bucket blob object",
	"doc comment description", "guide runbook playbook manual", "employee developer engineer staff", "table entity relation", "column field attribute property",
	"job worker task process", "image container", "client consumer caller", "test check", "laptop workstation", "branch fork", "team squad group",
	"team person maintainer", "plan estimate", "rule policy convention", "cost budget price", "load fetch read get", "create make generate", "url link address", "change modify fix edit update alter",
	"start open introduce", "incident outage", "vulnerability cve", "null empty missing", "replica copy", "token session", "need require demand", "monitor watch observe trace metric",
	"network internet online", "offline disconnected", "background asynchronous queue", "generate display", "mask redact anonymize anonymise hide", "user customer person", "model class entity", "package module component",
	"production live prod", "stage staging", "review approve inspect", "style css", "wait delay pause", "sort order", "feature function", "toggle flag switch", "identifier id key",
}

// phrasesOf are phrases with the same first word, and the words they mean.
type phrasesOf struct {
	first string
	all   [][2]string
}

// phraseTable maps phrases, by their first word, to a word with the same meaning.
var phraseTable = []phrasesOf{
	{"pull", [][2]string{{"pull request", "pr"}, {"pull requests", "pr"}}},
	{"merge", [][2]string{{"merge request", "pr"}, {"merge requests", "pr"}}},
	{"at", [][2]string{{"at most", "limit"}, {"at least", "least"}, {"at maximum", "limit"}, {"at minimum", "least"}}},
	{"don't", [][2]string{{"don't need", "optional"}, {"don't have to", "optional"}}},
	{"doesn't", [][2]string{{"doesn't need", "optional"}, {"doesn't have to", "optional"}}},
	{"need", [][2]string{{"need not", "optional"}}},
	{"do", [][2]string{{"do not need", "optional"}, {"do not have to", "optional"}}},
	{"does", [][2]string{{"does not need", "optional"}, {"does not have to", "optional"}}},
	{"go", [][2]string{{"go live", "deploy"}, {"go out", "deploy"}}},
	{"goes", [][2]string{{"goes live", "deploy"}, {"goes out", "deploy"}}},
	{"nobody", [][2]string{{"nobody has to", "optional"}}},
	{"no", [][2]string{{"no need", "optional"}, {"no more than", "limit"}, {"no longer than", "limit"}, {"no later than", "limit"}, {"no less than", "least"}, {"no fewer than", "least"}, {"no longer", "not"}}},
	{"not", [][2]string{{"not required", "optional"}, {"not mandatory", "optional"}, {"not needed", "optional"}, {"not necessary", "optional"}, {"not obligatory", "optional"}, {"not optional", "mandatory"}, {"not have to", "optional"}, {"not more than", "limit"}, {"not longer than", "limit"}, {"not exceed", "limit"}, {"not take longer than", "limit"}, {"not less than", "least"}, {"not only", "also"}}},
	{"up", [][2]string{{"up to", "limit"}, {"up to date", "current"}}},
	{"half", [][2]string{{"half a minute", "30 seconds"}, {"half an hour", "30 minutes"}, {"half a day", "12 hours"}, {"half a year", "6 months"}}},
	{"standard", [][2]string{{"standard output", "stdout"}, {"standard error", "stderr"}, {"standard input", "stdin"}}},
	{"into", [][2]string{{"into the repository", "commit"}, {"into the repo", "commit"}, {"into git", "commit"}, {"into version control", "commit"}}},
	{"try", [][2]string{{"try again", "retry"}}},
	{"tried", [][2]string{{"tried again", "retry"}}},
	{"roll", [][2]string{{"roll out", "deploy"}, {"roll back", "rollback"}}},
	{"rolled", [][2]string{{"rolled out", "deploy"}, {"rolled back", "rollback"}}},
	{"back", [][2]string{{"back end", "backend"}, {"back up", "backup"}}},
	{"logged", [][2]string{{"logged in", "login"}, {"logged out", "logout"}}},
	{"and", [][2]string{{"and newer", "least"}, {"and later", "least"}, {"and above", "least"}}},
	{"or", [][2]string{{"or newer", "least"}, {"or later", "least"}, {"or higher", "least"}}},
	{"more", [][2]string{{"more than", "above"}}},
	{"less", [][2]string{{"less than", "below"}}},
	{"fewer", [][2]string{{"fewer than", "below"}}},
	{"older", [][2]string{{"older than", "after"}}},
	{"instead", [][2]string{{"instead of", contrast}}},
	{"rather", [][2]string{{"rather than", contrast}}},
	{"in", [][2]string{{"in place of", contrast}, {"in favor of", "for"}, {"in order to", "to"}}},
	{"as", [][2]string{{"as opposed to", contrast}}},
	{"plain", [][2]string{{"plain text", "plaintext"}}},
	{"clear", [][2]string{{"clear text", "plaintext"}}},
	{"checked", [][2]string{{"checked in", "commit"}}},
	{"check", [][2]string{{"check in", "commit"}}},
	{"log", [][2]string{{"log out", "logout"}, {"log in", "login"}}},
	{"sign", [][2]string{{"sign in", "login"}, {"sign off", "approve"}}},
	{"local", [][2]string{{"local time", "localtime"}}},
	{"version", [][2]string{{"version numbers", "version"}, {"version number", "version"}}},
	{"semantic", [][2]string{{"semantic versioning", "semver"}, {"semantic versions", "semver"}, {"semantic version", "semver"}}},
	{"personally", [][2]string{{"personally identifiable information", "pii"}, {"personally identifiable data", "pii"}}},
	{"personal", [][2]string{{"personal data", "pii"}, {"personal information", "pii"}}},
	{"logging", [][2]string{{"logging in", "login"}}},
	{"switch", [][2]string{{"switch off", "disable"}, {"switch on", "enable"}}},
	{"switched", [][2]string{{"switched off", "disabled"}, {"switched on", "enabled"}}},
	{"turn", [][2]string{{"turn off", "disable"}, {"turn on", "enable"}}},
	{"turned", [][2]string{{"turned off", "disabled"}, {"turned on", "enabled"}}},
	{"opt", [][2]string{{"opt in", "opt-in"}, {"opt out", "opt-out"}}},
	{"by", [][2]string{{"by hand", "manual"}}},
	{"case", [][2]string{{"case sensitive", "case-sensitive"}, {"case insensitive", "case-insensitive"}}},
	{"regardless", [][2]string{{"regardless of case", "case-insensitive"}}},
	{"ignoring", [][2]string{{"ignoring case", "case-insensitive"}}},
	{"real", [][2]string{{"real time", "realtime"}}},
	{"short", [][2]string{{"short lived", "short-lived"}}},
	{"long", [][2]string{{"long lived", "long-lived"}}},
	{"self", [][2]string{{"self hosted", "self-hosted"}, {"self managed", "self-managed"}}},
	{"compile", [][2]string{{"compile time", "compile-time"}}},
	{"run", [][2]string{{"run time", "runtime"}}},
	{"on", [][2]string{{"on site", "onsite"}}},
	{"next", [][2]string{{"next to", "beside"}}},
	{"push", [][2]string{{"push directly", "direct-push"}, {"push straight", "direct-push"}}},
	{"pushed", [][2]string{{"pushed directly", "direct-push"}, {"pushed straight", "direct-push"}}},
	{"direct", [][2]string{{"direct push", "direct-push"}, {"direct pushes", "direct-push"}, {"direct commits", "direct-push"}}},
	{"commit", [][2]string{{"commit directly", "direct-push"}, {"commit straight", "direct-push"}}},
	{"committed", [][2]string{{"committed directly", "direct-push"}, {"committed straight", "direct-push"}}},
	{"european", [][2]string{{"european union", "eu"}}},
	{"auto", [][2]string{{"auto increment", "autoincrement"}}},
	{"unix", [][2]string{{"unix timestamps", "epoch"}, {"unix timestamp", "epoch"}, {"unix time", "epoch"}}},
	{"iso", [][2]string{{"iso 8601", "iso8601"}}},
	{"git", [][2]string{{"git lfs", "gitlfs"}}},
	{"have", [][2]string{{"have to", "must"}}},
	{"has", [][2]string{{"has to", "must"}}},
	{"end", [][2]string{{"end to end", "e2e"}}},
	{"front", [][2]string{{"front end", "frontend"}}},
	{"snake", [][2]string{{"snake case", "snake_case"}}},
	{"camel", [][2]string{{"camel case", "camelcase"}}},
	{"kebab", [][2]string{{"kebab case", "kebab-case"}}},
	{"pascal", [][2]string{{"pascal case", "pascalcase"}}},
	{"open", [][2]string{{"open source", "opensource"}}},
	{"hard", [][2]string{{"hard coded", "hardcoded"}, {"hard code", "hardcode"}}},
	{"third", [][2]string{{"third party", "external"}}},
	{"for", [][2]string{{"for ever", "forever"}}},
	{"free", [][2]string{{"free of", "without"}}},
	{"server", [][2]string{{"server side", "server"}}},
	{"client", [][2]string{{"client side", "client"}}},
}

// opposites are pairs of groups of words that contradict each other.
var opposites = [][2]string{
	{"always", "never"},
	{"enable enabled on", "disable disabled off"},
	{"allow allowed permit permitted may", "forbid forbidden prohibit prohibited"},
	{"required require requires mandatory compulsory obligatory", "optional optionally voluntary"},
	{"before", "after"},
	{"synchronous", "asynchronous background queued"},
	{"case-sensitive", "case-insensitive"},
	{"sequential sequentially", "parallel"},
	{"thin", "fat thick"},
	{"temporary temporarily short-lived ephemeral", "permanent permanently long-lived persistent"},
	{"strong strongly", "weak eventual eventually"},
	{"batch batches batched", "stream streaming streamed realtime"},
	{"horizontal horizontally", "vertical vertically"},
	{"self-hosted self-managed in-house", "managed hosted saas"},
	{"full complete", "partial partially incremental incrementally"},
	{"flat", "nested"},
	{"visible", "hidden invisible"},
	{"verbose", "terse quiet"},
	{"inclusive", "exclusive"},
	{"native", "hybrid"},
	{"portrait", "landscape"},
	{"ssr", "csr"},
	{"compile-time build-time", "runtime run-time"},
	{"opt-in", "opt-out"},
	{"gross", "net"},
	{"remote remotely", "office onsite"},
	{"weekday weekdays", "weekend weekends"},
	{"morning", "evening afternoon"},
	{"warn warning warnings", "fail"},
	{"free", "paid"},
	{"loud loudly", "silent silently"},
	{"raw", "aggregated processed"},
	{"dedicated", "shared"},
	{"fixed", "flexible variable"},
	{"reuse recycle", "recreate rebuild"},
	{"exported", "internal"},
	{"mutable", "immutable readonly"},
	{"server", "client browser"},
	{"manual manually hand", "automatic automatically automated automate generate generated"},
	{"strict strictly", "lenient loose relaxed"},
	{"include includes included", "exclude excludes excluded"},
	{"optimistic", "pessimistic"},
	{"hard", "soft"},
	{"static statically", "dynamic dynamically"},
	{"local locally", "remote remotely"},
	{"push", "pull"},
	{"lazy", "eager eagerly"},
	{"latest newest", "pinned pin oldest"},
	{"inline", "separate"},
	{"nullable", "required"},
	{"uppercase", "lowercase"},
	{"ascending", "descending"},
	{"one single", "many multiple several"},
	{"keep retain", "delete split drop rewrite"},
	{"fail abort crash", "ignore continue swallow"},
	{"light", "dark"},
	{"global globally central centrally", "local per individual"},
	{"shallow", "deep"},
	{"relative", "absolute"},
	{"named", "default anonymous"},
	{"explicit explicitly", "implicit implicitly"},
	{"stateful", "stateless"},
	{"forward", "backward"},
	{"short", "long"},
	{"early", "late"},
	{"monorepo", "repository"},
	{"internal", "external"},
	{"throw", "return"},
	{"real", "synthetic fake mock mocked"},
	{"together next", "separate apart independent"},
	{"blocking", "nonblocking"},
	{"small", "large"},
	{"increase", "decrease"},
	{"top", "bottom"},
	{"first", "last"},
	{"normalized", "denormalized"},
	{"whitelist allowlist", "blacklist denylist"},
	{"exact exactly", "range approximate"},
	{"limit", "forever unlimited unbounded"},
	{"limit", "least"},
	{"above", "below"},
	{"rebase", "merge"},
	{"add", "delete"},
	{"own", "share"},
	{"pr", "direct-push"},
	{"commit", ".gitignore gitignore gitignored"},
	{"singular", "plural"},
	{"major", "minor patch"},
	{"immediate immediately", "later delayed eventually"},
	{"everyone everybody", "nobody"},
	{"public exposed", "private internal"},
	{"mandatory", "optional"},
	{"open", "close"},
	{"accept", "reject"},
	{"online", "offline"},
	{"encrypted", "plaintext"},
	{"stable", "experimental"},
	{"centralized", "decentralized distributed"},
	{"success", "error"},
	{"hourly daily nightly weekly monthly", "immediate continuous"},
}
