ALTER TABLE "mcp_instances" ALTER COLUMN "tools" SET DATA TYPE json;--> statement-breakpoint
ALTER TABLE "mcp_servers" ALTER COLUMN "tools" SET DATA TYPE json;