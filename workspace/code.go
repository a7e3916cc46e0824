package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/kota/index"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/golang"
	"github.com/coctostan/pictx/kota/lang/ts"
	"github.com/coctostan/pictx/kota/mcp"
)

// Languages are those whose code the program indexes. Another one is added here.
func Languages() lang.Set { return lang.NewSet(ts.Language(), golang.Language()) }

// CodeFiles are the files of a project's work tree.
func (pl Project) CodeFiles() index.Files {
	return index.Files{Root: pl.Root, Git: pl.Git != "", Languages: Languages()}
}

// IndexFile is where the index of this project's work tree is.
func (pl Project) IndexFile() string { return pl.cacheFile("kota") }

// cacheFile is where something of this work tree is kept that can be made again.
func (pl Project) cacheFile(kind string) string {
	sum := sha256.Sum256([]byte(pl.Root))
	return filepath.Join(pl.AgentDir, "pictx", hex.EncodeToString(sum[:8])+"."+kind)
}

// IndexOptions say where the project and its index are.
func (pl Project) IndexOptions() index.Options {
	return index.Options{Root: pl.Root, File: pl.IndexFile(), Git: pl.Git != "", Languages: Languages(), Now: time.Now}
}

// KotaDBDir is where KotaDB's database of this project's work tree is.
func (pl Project) KotaDBDir() string { return strings.TrimSuffix(pl.IndexFile(), ".kota") + ".kotadb" }

// KotaDB returns KotaDB for the project. Its Restart ends it.
func (a *Workspace) KotaDB(set config.KotaDB, pl Project) *mcp.Server {
	return &mcp.Server{
		Files: pl.CodeFiles(), Dir: pl.KotaDBDir(), Environ: a.Env.Environ,
		Command: set.Argv(), Guard: []string{a.Env.Self, "kota", "guard", "--"},
	}
}
