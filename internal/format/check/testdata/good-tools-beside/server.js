import express from "express";
import "./missing.js";
new SharedArrayBuffer(8);
fetch("nothing.json")
