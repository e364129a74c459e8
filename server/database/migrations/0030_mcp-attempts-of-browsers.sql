ALTER TABLE "mcp_attempts" ADD COLUMN "session_id" uuid;--> statement-breakpoint
ALTER TABLE "mcp_attempts" ADD COLUMN "cookie_hash" text;--> statement-breakpoint
ALTER TABLE "mcp_attempts" ADD COLUMN "answer" text;--> statement-breakpoint
ALTER TABLE "mcp_attempts" ADD COLUMN "ticket_hash" text;--> statement-breakpoint
ALTER TABLE "mcp_attempts" ADD CONSTRAINT "mcp_attempts_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mcp_attempts" ADD CONSTRAINT "mcp_attempts_ticket_hash_unique" UNIQUE("ticket_hash");