CREATE TABLE "deleted_files" (
	"storage_key" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "upload_texts" (
	"upload_id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"text" text NOT NULL,
	"is_cut" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "uploads" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"chat_id" uuid,
	"source" text NOT NULL,
	"filename" text NOT NULL,
	"content_type" text NOT NULL,
	"size" bigint NOT NULL,
	"storage_key" text NOT NULL,
	"status" text NOT NULL,
	"text_extracted" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "uploads_storage_key_unique" UNIQUE("storage_key"),
	CONSTRAINT "uploads_owner" UNIQUE("organization_id","user_id","id")
);
--> statement-breakpoint
ALTER TABLE "chat_messages" ADD COLUMN "upload_ids" uuid[];--> statement-breakpoint
ALTER TABLE "chat_messages" ADD COLUMN "citations" jsonb;--> statement-breakpoint
ALTER TABLE "chat_messages" ADD COLUMN "media" jsonb;--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "stored_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "upload_texts" ADD CONSTRAINT "upload_texts_upload" FOREIGN KEY ("organization_id","user_id","upload_id") REFERENCES "public"."uploads"("organization_id","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_chat" FOREIGN KEY ("organization_id","user_id","chat_id") REFERENCES "public"."chats"("organization_id","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "uploads_filename" ON "uploads" USING btree ("chat_id","filename") WHERE "uploads"."chat_id" is not null;--> statement-breakpoint
CREATE INDEX "uploads_pending" ON "uploads" USING btree ("created_at") WHERE "uploads"."status" = 'pending';