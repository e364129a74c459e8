CREATE TABLE "kb_contents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"is_abandoned" boolean DEFAULT false NOT NULL,
	CONSTRAINT "kb_contents_organization" UNIQUE("organization_id","id")
);
--> statement-breakpoint
INSERT INTO "kb_contents" ("id", "organization_id") SELECT "id", "organization_id" FROM "knowledge_bases";
--> statement-breakpoint
ALTER TABLE "kb_segments" DROP CONSTRAINT "kb_segments_kb";
--> statement-breakpoint
ALTER TABLE "kb_sources" DROP CONSTRAINT "kb_sources_kb";
--> statement-breakpoint
ALTER TABLE "kb_contents" ADD CONSTRAINT "kb_contents_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "kb_contents_abandoned" ON "kb_contents" USING btree ("id") WHERE "kb_contents"."is_abandoned";--> statement-breakpoint
ALTER TABLE "kb_segments" ADD CONSTRAINT "kb_segments_contents" FOREIGN KEY ("organization_id","kb_id") REFERENCES "public"."kb_contents"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kb_sources" ADD CONSTRAINT "kb_sources_contents" FOREIGN KEY ("organization_id","kb_id") REFERENCES "public"."kb_contents"("organization_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
create function add_kb_contents() returns trigger language plpgsql as $$
begin
  insert into kb_contents (id, organization_id) values (new.id, new.organization_id);
  return null;
end $$;
--> statement-breakpoint
create trigger knowledge_bases_added after insert on knowledge_bases for each row execute function add_kb_contents();
--> statement-breakpoint
-- In one statement, the deletion of a knowledge base and its contents could take over 30 seconds.
create function abandon_kb_contents() returns trigger language plpgsql as $$
begin
  update kb_contents c set is_abandoned = true from gone where c.id = gone.id;
  return null;
end $$;
--> statement-breakpoint
create or replace trigger knowledge_bases_deleted after delete on knowledge_bases
  referencing old table as gone for each statement execute function abandon_kb_contents();
--> statement-breakpoint
create trigger kb_contents_deleted after delete on kb_contents
  referencing old table as gone for each statement execute function forget_kb_postings();
