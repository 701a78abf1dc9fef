import{a as b}from"./index-BxY1a2b3.js";export default b;
