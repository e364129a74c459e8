ALTER TABLE "one_time_tokens" ADD COLUMN "organization_id" uuid;--> statement-breakpoint
ALTER TABLE "memberships" ADD COLUMN "opened_at" timestamp (3) with time zone DEFAULT now();