package likeness

// filler reports whether a word says nothing about the subject of a text: a stop word.
func filler(w string) bool {
	switch w {
	case "a", "an", "the", "is", "are", "be", "been", "we", "our", "us", "i", "you", "it", "its", "this", "that", "these", "those",
		"to", "of", "in", "on", "at", "for", "with", "by", "as", "from", "into", "and", "or", "if", "then", "than", "so", "but",
		"use", "uses", "used", "using", "must", "should", "shall", "will", "would", "can", "may", "has", "have", "do", "does",
		"please", "always", "only", "all", "every", "each", "any", "our's", "just", "also", "via", "when", "where", "which", "who",
		"prefer", "go", "pick", "adopt", "choose", "take", "keep", "make", "let", "lets", "let's", "want", "there", "them", "they", "gets", "get",
		"instead", "rather", "goes", "needs", "need", "new", "project", "how", "what", "per", "up", "out", "off", "about", "own":
		return true
	}
	return false
}

// denial reports whether a word negates a text.
func denial(w string) bool {
	switch w {
	case "no", "not", "never", "avoid", "don't", "dont", "doesn't", "mustn't", "shouldn't", "can't", "cannot", "won't", "without",
		"forbid", "forbidden", "ban", "banned", "prohibit", "prohibited", "stop", "disallow", "neither", "nor", "refuse", "isn't", "aren't":
		return true
	}
	return false
}

// denies reports whether the words of a text negate something; a double negation does
// not.
func denies(words []string) bool {
	odd := false
	for i, w := range words {
		if denial(w) && !(i > 0 && w == "only" && words[i-1] == "not") {
			odd = !odd
		}
	}
	return odd
}

// common reports whether a stem occurs in so many decisions that it distinguishes few.
func common(stem string) bool {
	switch stem {
	case "code", "file", "service", "api", "test", "data", "default", "run", "write", "add", "user", "app", "application", "system",
		"store", "set", "name", "build", "main", "first", "server", "project", "module", "follow", "primary", "change", "version":
		return true
	}
	return false
}

// aliases maps words to the synonym that represents them.
var aliases = map[string]string{
	"db": "database", "databases": "database", "datastore": "database",
	"postgres": "postgresql", "pg": "postgresql", "psql": "postgresql",
	"js":  "javascript",
	"ts":  "typescript",
	"k8s": "kubernetes", "kube": "kubernetes",
	"repo": "repository", "repos": "repository",
	"env":    "environment",
	"config": "config", "configs": "config", "configuration": "config", "settings": "config",
	"auth": "authentication", "login": "authentication", "authenticate": "authentication", "sign-in": "authentication", "signin": "authentication",
	"deps": "dependencies", "dep": "dependencies", "dependency": "dependencies",
	"pr": "pull", "prs": "pull",
	"docs": "documentation", "doc": "documentation",
	"mongo":  "mongodb",
	"golang": "go-language",
	"py":     "python",
	"tz":     "timezone", "zone": "timezone", "timezones": "timezone",
	"fn": "function", "func": "function", "function": "function",
	"dir": "directory", "folder": "directory",
	"lib": "library", "package": "library",
	"msg":   "message",
	"throw": "throw", "raise": "throw",
	"persist": "store", "save": "store", "saved": "store", "stored": "store", "storage": "store", "storing": "store",
	"merged": "merge", "merging": "merge", "merges": "merge", "land": "merge",
}

// alias returns the word that represents all its synonyms.
func alias(word string) string {
	if a, ok := aliases[word]; ok {
		return a
	}
	return word
}

// kinds are groups of alternatives, such as databases, of which a project usually has
// one. Each list begins with the name of the group.
var kinds = [][]string{
	{"database", "postgresql", "mysql", "mariadb", "sqlite", "mongodb", "oracle", "dynamodb", "cassandra"},
	{"cache", "redis", "memcached", "valkey"},
	{"packages", "npm", "pnpm", "yarn", "bun"},
	{"python packages", "pip", "poetry", "uv", "pipenv", "conda"},
	{"indent", "tabs", "spaces"},
	{"interface", "rest", "grpc", "graphql", "soap"},
	{"language", "typescript", "javascript", "python", "java", "kotlin", "rust", "go-language", "ruby"},
	{"frontend", "react", "vue", "svelte", "angular"},
	{"queue", "kafka", "rabbitmq", "sqs", "nats"},
	{"cloud", "aws", "gcp", "azure"},
	{"format", "json", "yaml", "toml", "xml"},
	{"linter", "eslint", "biome", "tslint"},
	{"runner", "jest", "vitest", "mocha", "playwright", "cypress"},
	{"build", "webpack", "vite", "rollup", "esbuild"},
	{"ci", "jenkins", "circleci", "travis", "gitlab"},
	{"session", "jwt", "cookies"},
	{"merge", "squash", "rebase", "merge-commit"},
	{"ids", "uuid", "ulid", "autoincrement"},
	{"case", "snake_case", "camelcase", "kebab-case", "pascalcase"},
	{"quotes", "single", "double"},
	{"repository", "monorepo", "polyrepo"},
	{"architecture", "microservices", "monolith"},
	{"money", "cents", "floats", "decimals"},
	{"time", "utc", "localtime"},
	{"errors", "exceptions", "result"},
}

// opposites are pairs of words that contradict each other.
var opposites = [][2]string{
	{"always", "never"},
	{"enable", "disable"},
	{"enabled", "disabled"},
	{"allow", "forbid"},
	{"allowed", "forbidden"},
	{"required", "optional"},
	{"require", "optional"},
	{"before", "after"},
	{"sync", "async"},
	{"synchronous", "asynchronous"},
	{"public", "private"},
	{"mutable", "immutable"},
	{"client", "server"},
	{"manual", "automatic"},
	{"manually", "automatically"},
	{"strict", "lenient"},
	{"include", "exclude"},
	{"optimistic", "pessimistic"},
	{"daily", "weekly"},
	{"hard", "soft"},
	{"static", "dynamic"},
	{"local", "remote"},
	{"push", "pull"},
	{"lazy", "eager"},
	{"latest", "pinned"},
	{"inline", "separate"},
	{"nullable", "required"},
	{"uppercase", "lowercase"},
	{"ascending", "descending"},
	{"one", "many"},
	{"keep", "delete"},
	{"fail", "ignore"},
	{"light", "dark"},
}
