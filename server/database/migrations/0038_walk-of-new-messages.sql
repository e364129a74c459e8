ALTER TABLE "chat_words_walk" ADD COLUMN "begun_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "chat_words_walk" ADD COLUMN "covered_at" timestamp (3) with time zone;