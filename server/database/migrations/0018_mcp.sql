CREATE TABLE "agent_mcp_instances" (
	"organization_id" uuid NOT NULL,
	"owner_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"instance_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_mcp_instances_agent_id_instance_id_pk" PRIMARY KEY("agent_id","instance_id")
);
--> statement-breakpoint
CREATE TABLE "mcp_attempts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"instance_id" uuid NOT NULL,
	"state_hash" text NOT NULL,
	"flow_type" text,
	"payload" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mcp_attempts_state_hash_unique" UNIQUE("state_hash")
);
--> statement-breakpoint
CREATE TABLE "mcp_clients" (
	"server_id" uuid PRIMARY KEY NOT NULL,
	"issuer" text NOT NULL,
	"redirect_uri" text NOT NULL,
	"client" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mcp_instances" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"name" text,
	"status" text NOT NULL,
	"error" text,
	"account_id" text,
	"credentials" text,
	"credentials_version" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"refresh_claim" uuid,
	"refresh_claimed_until" timestamp (3) with time zone,
	"tools" jsonb,
	"tools_read_at" timestamp (3) with time zone,
	"tools_changed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mcp_instances_owner" UNIQUE("organization_id","user_id","id")
);
--> statement-breakpoint
CREATE TABLE "mcp_servers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"seed_key" text,
	"is_changed" boolean DEFAULT false NOT NULL,
	"is_deleted" boolean DEFAULT false NOT NULL,
	"name" text NOT NULL,
	"toolkit_name" text NOT NULL,
	"toolkit_slug" text NOT NULL,
	"toolkit_logo" text,
	"description" text NOT NULL,
	"url" text NOT NULL,
	"auth_config" jsonb,
	"client_secret" text,
	"composio_server_id" text,
	"tools" jsonb,
	"tools_read_at" timestamp (3) with time zone,
	"instance_count" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mcp_servers_seed_key_unique" UNIQUE("seed_key"),
	CONSTRAINT "mcp_servers_toolkit_slug_unique" UNIQUE("toolkit_slug")
);
--> statement-breakpoint
ALTER TABLE "agent_mcp_instances" ADD CONSTRAINT "agent_mcp_instances_agent" FOREIGN KEY ("organization_id","agent_id") REFERENCES "public"."agents"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_mcp_instances" ADD CONSTRAINT "agent_mcp_instances_instance" FOREIGN KEY ("organization_id","owner_id","instance_id") REFERENCES "public"."mcp_instances"("organization_id","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mcp_attempts" ADD CONSTRAINT "mcp_attempts_instance" FOREIGN KEY ("organization_id","user_id","instance_id") REFERENCES "public"."mcp_instances"("organization_id","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mcp_clients" ADD CONSTRAINT "mcp_clients_server_id_mcp_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."mcp_servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mcp_instances" ADD CONSTRAINT "mcp_instances_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mcp_instances" ADD CONSTRAINT "mcp_instances_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mcp_instances" ADD CONSTRAINT "mcp_instances_server_id_mcp_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."mcp_servers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_mcp_instances_instance_id" ON "agent_mcp_instances" USING btree ("instance_id");--> statement-breakpoint
CREATE INDEX "mcp_attempts_instance_id" ON "mcp_attempts" USING btree ("instance_id");--> statement-breakpoint
CREATE INDEX "mcp_attempts_expiry" ON "mcp_attempts" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "mcp_instances_user" ON "mcp_instances" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "mcp_instances_server" ON "mcp_instances" USING btree ("server_id");--> statement-breakpoint
CREATE INDEX "mcp_instances_pending" ON "mcp_instances" USING btree ("created_at") WHERE "mcp_instances"."status" = 'pending';--> statement-breakpoint
-- How many people are connected to each server: connections that are not pending. Whoever changes several locks the servers in
-- the order of their ids.
create function count_mcp_instances() returns trigger language plpgsql as $$
declare
  counts json;
begin
  if tg_op = 'INSERT' then
    select json_object_agg(server_id, n) into counts from (
      select server_id, count(*) as n from after_rows where status <> 'pending' group by server_id) changed;
  elsif tg_op = 'DELETE' then
    select json_object_agg(server_id, -n) into counts from (
      select server_id, count(*) as n from before_rows where status <> 'pending' group by server_id) changed;
  else
    select json_object_agg(server_id, n) into counts from (
      select server_id, sum(n) as n from (
        select server_id, 1 as n from after_rows where status <> 'pending'
        union all
        select server_id, -1 from before_rows where status <> 'pending') sides
      group by server_id having sum(n) <> 0) changed;
  end if;
  if counts is null then return null; end if;
  perform from mcp_servers where id in (select key::uuid from json_each_text(counts)) order by id for no key update;
  update mcp_servers set instance_count = instance_count + value::int
    from json_each_text(counts) where id = key::uuid;
  return null;
end $$;
--> statement-breakpoint
create trigger mcp_instances_come after insert on mcp_instances
  referencing new table as after_rows for each statement execute function count_mcp_instances();
--> statement-breakpoint
create trigger mcp_instances_change after update on mcp_instances
  referencing old table as before_rows new table as after_rows
  for each statement execute function count_mcp_instances();
--> statement-breakpoint
create trigger mcp_instances_go after delete on mcp_instances
  referencing old table as before_rows for each statement execute function count_mcp_instances();
