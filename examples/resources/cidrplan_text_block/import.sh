# path#name of the block@lock file
terraform import cidrplan_text_block.caddy 'Caddyfile#trusted@edge.cidrplan.json'
