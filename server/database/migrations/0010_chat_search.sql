CREATE TABLE "chat_words" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"chat_id" uuid NOT NULL,
	"title" text,
	"words" "tsvector"
);
--> statement-breakpoint
CREATE TABLE "chat_words_walk" (
	"one" integer PRIMARY KEY NOT NULL,
	"below" uuid,
	"rest_until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "chat_words" ADD CONSTRAINT "chat_words_chat" FOREIGN KEY ("organization_id","user_id","chat_id") REFERENCES "public"."chats"("organization_id","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "chat_words_chat_id" ON "chat_words" USING btree ("chat_id");--> statement-breakpoint
CREATE INDEX "chat_words_owner" ON "chat_words" USING btree ("organization_id","user_id","id");--> statement-breakpoint
CREATE INDEX "chat_words_unread" ON "chat_words" USING btree ("id") WHERE "chat_words"."words" is null;--> statement-breakpoint
CREATE INDEX "chat_words_words" ON "chat_words" USING gin ("words") WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "chats_pinned" ON "chats" USING btree ("organization_id","user_id","id") WHERE "chats"."pinned";--> statement-breakpoint
CREATE INDEX "chats_folder" ON "chats" USING btree ("organization_id","user_id","folder","id") WHERE "chats"."folder" is not null;--> statement-breakpoint
CREATE INDEX "chats_status" ON "chats" USING btree ("organization_id","user_id","status","id") WHERE "chats"."status" <> 'ACTIVE';