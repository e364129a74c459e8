CREATE TABLE "minute_limits" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"user_id" uuid,
	"api_key_id" uuid,
	"model_id" uuid,
	"requests_per_minute" integer,
	"tokens_per_minute" bigint,
	"minute" timestamp (3) with time zone NOT NULL,
	"requests" integer DEFAULT 0 NOT NULL,
	"tokens" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "minute_limits_subject" UNIQUE NULLS NOT DISTINCT("organization_id","user_id","api_key_id","model_id"),
	CONSTRAINT "minute_limits_one_subject" CHECK (num_nonnulls("minute_limits"."user_id", "minute_limits"."api_key_id", "minute_limits"."model_id") = 1),
	CONSTRAINT "minute_limits_any" CHECK (num_nonnulls("minute_limits"."requests_per_minute", "minute_limits"."tokens_per_minute") > 0)
);
--> statement-breakpoint
CREATE TABLE "llm_connections" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"name" text NOT NULL,
	"provider" text NOT NULL,
	"api_key" text,
	"base_url" text,
	"created_by" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "llm_connections_organization" UNIQUE("organization_id","id"),
	CONSTRAINT "llm_connections_name" UNIQUE("organization_id","name")
);
--> statement-breakpoint
ALTER TABLE "llm_models" ADD COLUMN "connection_id" uuid;--> statement-breakpoint
ALTER TABLE "minute_limits" ADD CONSTRAINT "minute_limits_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "minute_limits" ADD CONSTRAINT "minute_limits_model_id_llm_models_id_fk" FOREIGN KEY ("model_id") REFERENCES "public"."llm_models"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "minute_limits" ADD CONSTRAINT "minute_limits_member" FOREIGN KEY ("organization_id","user_id") REFERENCES "public"."memberships"("organization_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "minute_limits" ADD CONSTRAINT "minute_limits_api_key" FOREIGN KEY ("organization_id","api_key_id") REFERENCES "public"."api_keys"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "llm_connections" ADD CONSTRAINT "llm_connections_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "minute_limits_model" ON "minute_limits" USING btree ("model_id") WHERE "minute_limits"."model_id" is not null;--> statement-breakpoint
ALTER TABLE "llm_models" ADD CONSTRAINT "llm_models_connection" FOREIGN KEY ("organization_id","connection_id") REFERENCES "public"."llm_connections"("organization_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "llm_models_by_connection" ON "llm_models" USING btree ("organization_id","connection_id") WHERE "llm_models"."connection_id" is not null;