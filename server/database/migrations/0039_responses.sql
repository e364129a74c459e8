CREATE TABLE "response_conversation_items" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"position" bigint GENERATED ALWAYS AS IDENTITY (sequence name "response_conversation_items_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"content" jsonb NOT NULL,
	"signature" text,
	"bytes" integer NOT NULL,
	CONSTRAINT "response_conversation_items_position" UNIQUE("conversation_id","position")
);
--> statement-breakpoint
CREATE TABLE "response_conversations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"api_key_id" uuid,
	"metadata" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "response_conversations_owner" UNIQUE("organization_id","user_id","id")
);
--> statement-breakpoint
CREATE TABLE "response_items" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"response_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"is_output" boolean NOT NULL,
	"content" jsonb NOT NULL,
	"signature" text,
	"bytes" integer NOT NULL,
	CONSTRAINT "response_items_position" UNIQUE("response_id","position")
);
--> statement-breakpoint
CREATE TABLE "responses" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"api_key_id" uuid,
	"previous_id" uuid,
	"view" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "responses_owner" UNIQUE("organization_id","user_id","id")
);
--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "response_retention_days" integer DEFAULT 30 NOT NULL;--> statement-breakpoint
ALTER TABLE "response_conversation_items" ADD CONSTRAINT "response_conversation_items_conversation" FOREIGN KEY ("organization_id","user_id","conversation_id") REFERENCES "public"."response_conversations"("organization_id","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "response_conversations" ADD CONSTRAINT "response_conversations_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "response_conversations" ADD CONSTRAINT "response_conversations_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "response_conversations" ADD CONSTRAINT "response_conversations_key" FOREIGN KEY ("organization_id","api_key_id") REFERENCES "public"."api_keys"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "response_items" ADD CONSTRAINT "response_items_response" FOREIGN KEY ("organization_id","user_id","response_id") REFERENCES "public"."responses"("organization_id","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "responses" ADD CONSTRAINT "responses_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "responses" ADD CONSTRAINT "responses_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "responses" ADD CONSTRAINT "responses_key" FOREIGN KEY ("organization_id","api_key_id") REFERENCES "public"."api_keys"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "response_conversations_user" ON "response_conversations" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "response_conversations_api_key" ON "response_conversations" USING btree ("organization_id","api_key_id") WHERE "response_conversations"."api_key_id" is not null;--> statement-breakpoint
CREATE INDEX "response_conversations_expiry" ON "response_conversations" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "responses_user" ON "responses" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "responses_api_key" ON "responses" USING btree ("organization_id","api_key_id") WHERE "responses"."api_key_id" is not null;--> statement-breakpoint
CREATE INDEX "responses_expiry" ON "responses" USING btree ("expires_at");