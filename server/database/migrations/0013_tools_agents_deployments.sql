CREATE TABLE "agent_deployments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"created_by" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"visitor_user_id" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"deployment_type" text NOT NULL,
	"config" jsonb NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"key_hash" text NOT NULL,
	"api_key_prefix" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_deployments_visitor_user_id_unique" UNIQUE("visitor_user_id"),
	CONSTRAINT "agent_deployments_key_hash_unique" UNIQUE("key_hash"),
	CONSTRAINT "agent_deployments_organization" UNIQUE("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "deployment_turns" (
	"deployment_id" uuid NOT NULL,
	"day" date NOT NULL,
	"taken" integer NOT NULL,
	CONSTRAINT "deployment_turns_deployment_id_day_pk" PRIMARY KEY("deployment_id","day")
);
--> statement-breakpoint
CREATE TABLE "agent_knowledge_bases" (
	"organization_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"kb_id" uuid NOT NULL,
	"position" integer NOT NULL,
	CONSTRAINT "agent_knowledge_bases_agent_id_kb_id_pk" PRIMARY KEY("agent_id","kb_id")
);
--> statement-breakpoint
CREATE TABLE "agent_tools" (
	"organization_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"tool_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"config" text NOT NULL,
	CONSTRAINT "agent_tools_agent_id_tool_id_pk" PRIMARY KEY("agent_id","tool_id")
);
--> statement-breakpoint
CREATE TABLE "agents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"created_by" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"agent_type" text NOT NULL,
	"model_id" uuid NOT NULL,
	"params" jsonb NOT NULL,
	"is_public" boolean DEFAULT false NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agents_organization" UNIQUE("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "usage_days" (
	"organization_id" uuid NOT NULL,
	"day" date NOT NULL,
	"model_id" uuid,
	"user_id" uuid,
	"agent_id" uuid,
	"deployment_id" uuid,
	"messages" integer NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"credits" numeric(24, 6) NOT NULL,
	CONSTRAINT "usage_days_key" UNIQUE NULLS NOT DISTINCT("organization_id","day","model_id","user_id","agent_id","deployment_id")
);
--> statement-breakpoint
CREATE TABLE "tool_categories" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"created_by" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tool_categories_organization" UNIQUE("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "tools" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"created_by" uuid NOT NULL,
	"category_id" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"version" text NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"is_public" boolean DEFAULT false NOT NULL,
	"logo_url" text,
	"configuration" jsonb NOT NULL,
	"inputs" jsonb NOT NULL,
	"outputs" jsonb NOT NULL,
	"settings" jsonb NOT NULL,
	"functions" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tools_organization" UNIQUE("organization_id","id")
);
--> statement-breakpoint
ALTER TABLE "chat_messages" ADD COLUMN "tool_calls" jsonb;--> statement-breakpoint
ALTER TABLE "chats" ADD COLUMN "deployment_id" uuid;--> statement-breakpoint
ALTER TABLE "chats" ADD COLUMN "visitor_id" text;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD COLUMN "user_id" uuid;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD COLUMN "agent_id" uuid;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD COLUMN "deployment_id" uuid;--> statement-breakpoint
ALTER TABLE "open_holds" ADD COLUMN "user_id" uuid;--> statement-breakpoint
ALTER TABLE "open_holds" ADD COLUMN "agent_id" uuid;--> statement-breakpoint
ALTER TABLE "open_holds" ADD COLUMN "deployment_id" uuid;--> statement-breakpoint
ALTER TABLE "agent_deployments" ADD CONSTRAINT "agent_deployments_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_deployments" ADD CONSTRAINT "agent_deployments_visitor_user_id_users_id_fk" FOREIGN KEY ("visitor_user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_deployments" ADD CONSTRAINT "agent_deployments_agent" FOREIGN KEY ("organization_id","agent_id") REFERENCES "public"."agents"("organization_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployment_turns" ADD CONSTRAINT "deployment_turns_deployment_id_agent_deployments_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "public"."agent_deployments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_knowledge_bases" ADD CONSTRAINT "agent_knowledge_bases_agent" FOREIGN KEY ("organization_id","agent_id") REFERENCES "public"."agents"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_knowledge_bases" ADD CONSTRAINT "agent_knowledge_bases_kb" FOREIGN KEY ("organization_id","kb_id") REFERENCES "public"."knowledge_bases"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_tools" ADD CONSTRAINT "agent_tools_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_tools" ADD CONSTRAINT "agent_tools_agent" FOREIGN KEY ("organization_id","agent_id") REFERENCES "public"."agents"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_model_id_llm_models_id_fk" FOREIGN KEY ("model_id") REFERENCES "public"."llm_models"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_days" ADD CONSTRAINT "usage_days_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tool_categories" ADD CONSTRAINT "tool_categories_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tools" ADD CONSTRAINT "tools_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tools" ADD CONSTRAINT "tools_category" FOREIGN KEY ("organization_id","category_id") REFERENCES "public"."tool_categories"("organization_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_deployments_agent_id" ON "agent_deployments" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "agent_knowledge_bases_kb_id" ON "agent_knowledge_bases" USING btree ("kb_id");--> statement-breakpoint
CREATE INDEX "agent_tools_tool" ON "agent_tools" USING btree ("tool_id");--> statement-breakpoint
CREATE UNIQUE INDEX "agents_name" ON "agents" USING btree ("organization_id",lower("name"));--> statement-breakpoint
CREATE INDEX "agents_model" ON "agents" USING btree ("model_id");--> statement-breakpoint
CREATE INDEX "usage_days_deployment" ON "usage_days" USING btree ("deployment_id","day") WHERE "usage_days"."deployment_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "tool_categories_name" ON "tool_categories" USING btree ("organization_id",lower("name"));--> statement-breakpoint
CREATE UNIQUE INDEX "tools_version" ON "tools" USING btree ("organization_id",lower("name"),"version");--> statement-breakpoint
CREATE INDEX "tools_category_id" ON "tools" USING btree ("category_id");--> statement-breakpoint
CREATE INDEX "tools_public" ON "tools" USING btree ("id") WHERE "tools"."is_public";