ALTER TABLE "uploads" ADD COLUMN "text_error" text;--> statement-breakpoint
ALTER TABLE "uploads" ADD COLUMN "text_encoding" text;--> statement-breakpoint
ALTER TABLE "uploads" ADD COLUMN "is_encoding_doubtful" boolean DEFAULT false NOT NULL;