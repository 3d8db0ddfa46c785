"""What tests share: small packs, commands, pages."""
