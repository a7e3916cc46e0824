# nix run github:coctostan/pictx -- replay --all
{
  description = "Keeps the context of the coding agent pi small and its history searchable";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
      version = "0.0.0-${self.shortRev or "dirty"}";
    in
    {
      packages = each (pkgs: {
        default = pkgs.buildGoModule {
          pname = "pictx";
          inherit version;
          src = self;
          vendorHash = "sha256-NTF0EOTIFF9Jb7xW5LcGabZCXoTMe7rC4SyKeN+254o=";
          subPackages = [ "cmd/pictx" ];
          env.CGO_ENABLED = 0;
          ldflags = [ "-s" "-w" "-X main.version=${version}" ];
          doCheck = false; # .ci/run tests more than a package can
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            installManPage man/*.1 man/*.7
            installShellCompletion --cmd pictx --bash completions/pictx.bash --zsh completions/pictx.zsh --fish completions/pictx.fish
          '';
          meta = {
            description = "Keeps the context of the coding agent pi small and its history searchable";
            homepage = "https://github.com/coctostan/pictx";
            license = pkgs.lib.licenses.mit;
            mainProgram = "pictx";
          };
        };
      });
      devShells = each (pkgs: { default = pkgs.mkShell { packages = [ pkgs.go pkgs.gofumpt pkgs.go-tools pkgs.nodejs_22 ]; }; });
    };
}
